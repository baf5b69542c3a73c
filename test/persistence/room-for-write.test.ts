/** Why a write failed, of a disk that is full, or was when the write began; or that has failed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RoomForWrite } from '../../src/persistence/disk/disk-room.ts';
import { mountSmallDisk, whyNoSmallDisk } from '../support/small-disk.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';

const DISK_MEGABYTES = 16;
const MEGABYTE = 1024 * 1024;
const NEEDED_BYTES = 4 * MEGABYTE;

const failed = (code: number | string) => Object.assign(new Error('a write failed'), { code });
/** What LMDB says of a write that came to an end before its last byte, whatever the reason. */
const SHORT = failed(5);

interface Case {
  readonly name: string;
  /** What the disk has room for. */
  readonly before: 'the write' | 'less' | 'nothing';
  readonly after: 'the write' | 'less' | 'nothing';
  readonly error: Error;
  readonly isWanted: boolean;
}

const CASES: readonly Case[] = [
  { name: 'there is room', before: 'the write', after: 'the write', error: SHORT, isWanted: false },
  { name: 'it became full', before: 'the write', after: 'nothing', error: SHORT, isWanted: true },
  { name: 'it is full', before: 'nothing', after: 'nothing', error: SHORT, isWanted: true },
  { name: 'it was full', before: 'nothing', after: 'the write', error: SHORT, isWanted: true },
  { name: 'it had little room', before: 'less', after: 'the write', error: SHORT, isWanted: true },
  { name: 'the system says so', before: 'the write', after: 'the write', error: failed(28), isWanted: true },
  { name: 'another error', before: 'nothing', after: 'nothing', error: failed('EROFS'), isWanted: false },
];

test('whether a write failed for want of room', { skip: whyNoSmallDisk() ?? false }, async (t) => {
  const folder = await createTemporaryFolder('room-for-write');
  const disk = mountSmallDisk(folder.path, DISK_MEGABYTES);
  t.after(async () => {
    disk.unmount();
    await folder.remove();
  });
  const leave = (room: Case['before']) => {
    disk.free();
    if (room !== 'the write') disk.fill(room === 'less' ? MEGABYTE : 0);
  };
  for (const { name, before, after, error, isWanted } of CASES) {
    leave(before);
    const room = new RoomForWrite(disk.path, NEEDED_BYTES);
    leave(after);
    assert.equal(room.isWantedBy(error), isWanted, name);
  }
});
