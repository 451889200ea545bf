/**
 * Goal: an archive has what is a profile and nothing else, and a browser that was taken over reaches
 * no file of the host through it, neither when it is made nor when it is unpacked. Method: real
 * folders, and archives that no browser of ours would make.
 */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pack } from 'tar-stream'
import t, { type Test } from 'tap'
import { assertReadable } from '../../../../node-agent/profiles/chromium-version.ts'
import {
  keptNotesOf,
  packProfile,
  unpackProfile,
} from '../../../../node-agent/profiles/profile-archive.ts'
import { keptPreferencesOf } from '../../../../node-agent/profiles/profile-files.ts'
import { MiB } from '../../../../proto/units.ts'
import { newBlobKey, sealStream } from '../../../../runtime/blobs/sealed-stream.ts'

const key = newBlobKey()
const origins = ['https://a.example']

function newFolder(t: Test, files: Readonly<Record<string, string>> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-profile-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'Default'))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return folder
}

const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true, encoding: 'utf8' })
    .filter((entry) => !entry.isDirectory())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
    .sort()

async function carry(t: Test, from: string, bytesMax = MiB): Promise<string> {
  const to = newFolder(t)
  await unpackProfile(packProfile({ folder: from, origins }, key, bytesMax), key, to)
  return to
}

t.test('site data and permissions are carried over, the rest stays', async (t) => {
  const long = `Default/IndexedDB/https_${'x'.repeat(180)}.blob/1/00/3`
  const from = newFolder(t, {
    'Default/Cookies': 'cookies',
    'Default/Local Storage/leveldb/000003.log': 'local',
    'Default/Local Storage/leveldb/LOCK': '',
    [long]: 'blob',
    'Default/IndexedDB/empty': '',
    'Default/Service Worker/ScriptCache/index': 'script',
    'Default/History': 'history',
    'Default/Cache/data': 'cache',
    'Default/Extension State/1': 'ours',
    SingletonLock: 'x',
    'Default/Preferences': JSON.stringify({
      profile: { content_settings: { exceptions: { geolocation: 1 } }, name: 'Person' },
      extensions: { settings: {} },
    }),
  })
  const to = await carry(t, from)
  t.same(filesIn(to), [
    ...['Default/Cookies', 'Default/IndexedDB/empty', long],
    ...['Default/Local Storage/leveldb/000003.log', 'Default/Preferences'],
    ...['Default/Service Worker/ScriptCache/index', 'Default/notes.json'],
  ])
  t.equal(readFileSync(join(to, long), 'utf8'), 'blob')
  t.same(await keptPreferencesOf(to), {
    profile: { content_settings: { exceptions: { geolocation: 1 } } },
  })
  t.same(await keptNotesOf(to), { origins })
})

t.test('links of the profile lead to no other file', async (t) => {
  const secret = newFolder(t, {
    'Default/Cookies': 'of another',
    'Default/IndexedDB/1': 'of another',
    'Default/Preferences': '{"profile":{"content_settings":{"of":"another"}}}',
  })
  const from = newFolder(t)
  symlinkSync(join(secret, 'Default/Cookies'), join(from, 'Default/Cookies'))
  symlinkSync(join(secret, 'Default/Preferences'), join(from, 'Default/Preferences'))
  symlinkSync(join(secret, 'Default/IndexedDB'), join(from, 'Default/IndexedDB'))
  mkdirSync(join(from, 'Default/Local Storage'))
  symlinkSync(join(secret, 'Default'), join(from, 'Default/Local Storage/leveldb'))
  const to = await carry(t, from)
  t.same(filesIn(to), ['Default/Preferences', 'Default/notes.json'])
  t.same(await keptPreferencesOf(to), { profile: {} })
  rmSync(join(from, 'Default'), { recursive: true })
  symlinkSync(join(secret, 'Default'), join(from, 'Default'))
  await t.rejects(carry(t, from), /no profile/)
})

t.test('a profile that is too large is refused', async (t) => {
  const from = newFolder(t, { 'Default/IndexedDB/1': 'x'.repeat(1_000) })
  await t.rejects(carry(t, from, 500), { type: 'storage_full', message: /PROFILE_MAX_MIB/ })
})

interface WrittenEntry {
  readonly name: string
  readonly type?: 'directory' | 'fifo' | 'link' | 'symlink'
  readonly linkname?: string
  readonly text?: string
}

async function unpackEntries(t: Test, entries: readonly WrittenEntry[]) {
  const archive = pack()
  for (const { text = '', ...header } of entries) archive.entry(header, text)
  archive.finalize()
  const to = newFolder(t)
  await unpackProfile(sealStream(key, archive as AsyncIterable<Buffer>), key, to)
  return to
}

t.test('an archive that no agent of ours has made writes nothing elsewhere', async (t) => {
  const bad: readonly WrittenEntry[] = [
    { name: '../Cookies' },
    { name: '/etc/cron.d/x' },
    { name: 'IndexedDB/../../../x' },
    { name: 'IndexedDB/./x' },
    { name: 'IndexedDB' },
    { name: 'History' },
    { name: 'Local State' },
    { name: 'Cookies', type: 'symlink', linkname: '/etc/passwd' },
    { name: 'IndexedDB/a', type: 'link', linkname: 'Cookies' },
    { name: 'IndexedDB/a', type: 'directory' },
    { name: 'IndexedDB/a', type: 'fifo' },
  ]
  for (const entry of bad) {
    await t.rejects(unpackEntries(t, [entry]), /may not contain/, `${entry.type} ${entry.name}`)
  }
  const twice = [
    { name: 'Cookies', text: 'a' },
    { name: 'Cookies', text: 'b' },
  ]
  await t.rejects(unpackEntries(t, twice), { code: 'EEXIST' })
  const to = await unpackEntries(t, [{ name: 'Cookies', text: 'a' }])
  t.equal(readFileSync(join(to, 'Default/Cookies'), 'utf8'), 'a')
})

t.test('a damaged archive is refused with what to do', async (t) => {
  const from = newFolder(t, { 'Default/Cookies': 'x'.repeat(200_000) })
  const chunks: Buffer[] = []
  for await (const chunk of packProfile({ folder: from, origins }, key, MiB)) chunks.push(chunk)
  const sealed = Buffer.concat(chunks)
  sealed[100_000]! ^= 1
  const to = newFolder(t)
  const unpacking = unpackProfile(oneChunk(sealed), key, to)
  await t.rejects(unpacking, { type: 'conflict', message: /earlier version/ })
  t.notOk(existsSync(join(to, 'Default/Preferences.part')))
})

async function* oneChunk(bytes: Buffer) {
  yield bytes
}

t.test('a profile of a newer Chromium is not given to an older one', async (t) => {
  assertReadable('150.0.7871.181', '150.0.1.1')
  assertReadable('149.0.7871.181', '150.0.1.1')
  t.throws(() => assertReadable('151.0.1.1', '150.0.7871.181'), {
    type: 'unavailable',
    message: /Chromium 151.*one has 150/,
  })
})
