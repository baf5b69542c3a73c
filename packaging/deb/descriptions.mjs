/** The package's descriptions, in Debian's forms. */

/** Always the same, so that anybody can make the same package. Whoever keeps packages of his own writes his address here. */
const MAINTAINER = 'Purser <purser@packages.invalid>';

export function controlFile({ version, architecture, glibc, installedKb }) {
  return `Package: purser
Version: ${debianVersion(version)}
Architecture: ${architecture}
Maintainer: ${MAINTAINER}
Installed-Size: ${installedKb}
Depends: adduser, libc6 (>= ${glibc}), libgcc-s1, libstdc++6
Section: web
Priority: optional
Description: self-hosted server that sells digital goods by API
 Purser sells codes, credentials, links and files to business buyers, who pay
 from a prepaid USDT wallet. It is one process with one data folder, and needs
 no other server.
 .
 Whatever an answer says is on disk before the answer leaves the server. No
 item is sold twice, no money appears or vanishes, and a retry never buys twice.
 .
 This package has the Node that the program runs with inside. It makes a user
 and a unit for systemd, which is not started before an operator says so.
`;
}

/** Debian's own; what is new in Purser is in the file that it names. */
export function changelog(version, epochSeconds) {
  const date = new Date(epochSeconds * 1_000).toUTCString().replace('GMT', '+0000');
  return `purser (${debianVersion(version)}) stable; urgency=medium

  * What is new, and what an upgrade changes, is in CHANGELOG.md beside this
    file.

 -- ${MAINTAINER}  ${date}
`;
}

export function copyright() {
  return `Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: Purser

Files: *
Copyright: 2026 the authors of Purser
License: Apache-2.0
Comment: The program has other packages inside, the file node is Node.js with
 the libraries that it is built with, and there are binaries of LMDB and
 uWebSockets.js. Their authors and licences are in the folder licences beside
 this file.

License: Apache-2.0
 On Debian systems, the text of the Apache License, version 2.0, is in
 /usr/share/common-licenses/Apache-2.0.
`;
}

/** For Debian, what follows a tilde comes before the version itself: `1.0.0~rc.1` before `1.0.0`. */
function debianVersion(version) {
  return version.replace('-', '~');
}
