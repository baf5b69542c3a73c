#!/bin/sh
# Compiles, runs tests (test/run.ts has the arguments), and says at its end what all of that took.
cd "$(dirname "$0")/.." || exit 1
began=$(date +%s)
node test/runner/compile.mjs && node dist/test/run.js "$@"
code=$?
mkdir -p dist && times >dist/.times
awk -v clock=$(($(date +%s) - began)) '
  { for (i = 1; i <= 2; i++) { split($i, part, "m"); worked += part[1] * 60 + part[2] } }
  END { printf "%d s by the clock, %d processor-seconds, the build included\n", clock, worked }' dist/.times
exit $code
