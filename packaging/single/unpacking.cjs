'use strict';
/*
 * Where the single file has its program on disk: in `~/.cache/purser/<hash>` (or below `XDG_CACHE_HOME`), else in
 * `/tmp/purser-<uid>/<hash>`.
 *
 * What lies there is run, so nobody else may write to it, and every file is held against its hash at each start: a
 * folder that was cleaned up in part, or a disk that has lost something, is unpacked anew. A folder has its name only
 * when it is whole. Of several that unpack at the same time, the first gives the name, and the others take its folder.
 *
 * Folders above are never made at one go (`recursive`): below `/proc` Node tries that for ever.
 */
const { createHash } = require('node:crypto');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const UNFINISHED = '.new-';
/** A start that unpacks for longer has been killed. */
const ABANDONED_MS = 3_600_000;
const TRIES = 5;

/** Folders to be unpacked into, the best first. */
function placesFor({ env, getuid }) {
  const places = [];
  const cache = env.XDG_CACHE_HOME;
  if (cache !== undefined && path.isAbsolute(cache)) places.push(path.join(cache, 'purser'));
  else if (homeFolder() !== undefined) places.push(path.join(homeFolder(), '.cache', 'purser'));
  places.push(path.join(os.tmpdir(), `purser-${getuid?.() ?? 'user'}`));
  return places;
}

/** Undefined for a user whom the system doesn't know. */
function homeFolder() {
  try {
    return os.homedir();
  } catch {
    return undefined;
  }
}

/**
 * Unpacks `files` (`{name, path, sha256}`, whose bytes `bytesOf(name)` has) into the first of the `places` where that
 * is possible, unless they are there, and tries with `load(folder)` whether binaries can be loaded from there. Returns
 * the folder. Throws an error that says of each place what is wrong with it.
 */
function unpack({ hash, files, bytesOf, load, places }) {
  const troubles = [];
  for (const place of places) {
    try {
      claim(place);
      const folder = path.join(fs.realpathSync(place), hash);
      if (!isWhole(folder, files)) write(path.dirname(folder), folder, { files, bytesOf });
      load(folder);
      return folder;
    } catch (error) {
      troubles.push(`${place}: ${reasonOf(error)}`);
    }
  }
  throw new Error(
    `purser finds no folder to unpack its program into (${troubles.join('; ')}): set XDG_CACHE_HOME to a folder that ` +
      'this user can write to, on a file system that is not mounted with noexec',
  );
}

/** Makes the place and the folder that it is in, or finds that it is ours alone. */
function claim(place) {
  for (const folder of [path.dirname(place), place]) {
    try {
      fs.mkdirSync(folder, { mode: 0o700 });
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
  }
  const found = fs.lstatSync(place);
  if (!found.isDirectory()) throw new Error('it is no folder');
  if (process.getuid === undefined) return;
  if (found.uid !== process.getuid()) throw new Error('it belongs to another user');
  if ((found.mode & 0o022) !== 0) throw new Error('others can write to it');
}

function isWhole(folder, files) {
  return files.every((file) => {
    const bytes = readIfThere(path.join(folder, file.path));
    return bytes !== undefined && createHash('sha256').update(bytes).digest('hex') === file.sha256;
  });
}

function readIfThere(file) {
  try {
    return fs.readFileSync(file);
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw error;
  }
}

function write(place, folder, { files, bytesOf }) {
  removeAbandoned(place);
  const unfinished = fs.mkdtempSync(path.join(place, UNFINISHED));
  try {
    for (const file of files) {
      const target = path.join(unfinished, file.path);
      fs.mkdirSync(path.dirname(target), { recursive: true, mode: 0o700 });
      fs.writeFileSync(target, bytesOf(file.name), { mode: 0o600 });
    }
    for (let tries = 1; !hasTaken(unfinished, folder, files); tries += 1)
      if (tries === TRIES) throw new Error(`${folder} can't be replaced`);
  } finally {
    fs.rmSync(unfinished, { recursive: true, force: true });
  }
}

/** Whether the folder is whole now: it is ours, or another start was quicker. */
function hasTaken(unfinished, folder, files) {
  try {
    fs.renameSync(unfinished, folder);
    return true;
  } catch (error) {
    if (!['EEXIST', 'ENOTEMPTY', 'ENOTDIR', 'EPERM'].includes(error.code)) throw error;
  }
  if (isWhole(folder, files)) return true;
  // Moved first, so that nobody sees half of it; who runs from it has read what it needs, or fails in any case.
  const damaged = `${unfinished}-damaged`;
  try {
    fs.renameSync(folder, damaged);
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
  fs.rmSync(damaged, { recursive: true, force: true });
  return false;
}

function removeAbandoned(place) {
  for (const name of fs.readdirSync(place)) {
    const folder = path.join(place, name);
    const stat = name.startsWith(UNFINISHED) ? fs.statSync(folder, { throwIfNoEntry: false }) : undefined;
    if (stat !== undefined && Date.now() - stat.mtimeMs > ABANDONED_MS)
      fs.rmSync(folder, { recursive: true, force: true });
  }
}

function reasonOf(error) {
  const text = String(error.message).split('\n', 1)[0];
  return /failed to map segment|cannot enable executable|Operation not permitted/.test(text)
    ? `no program can be loaded from there (${text})`
    : text;
}

module.exports = { placesFor, unpack };
