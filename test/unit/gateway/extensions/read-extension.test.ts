/**
 * Goal: an upload is an extension that Chromium loads, without what a tenant may not have, or it is
 * refused with the file and the reason. Method: archives and manifests, one by one.
 */
import { createHash } from 'node:crypto'
import t from 'tap'
import { extensionUploadLimits } from '../../../../gateway/extensions/limits.ts'
import {
  readExtension,
  type ExtensionFile,
} from '../../../../gateway/extensions/reading/read-extension.ts'
import { crxOf } from '../../../helpers/files/crx.ts'
import { zipOf, type ZipEntry } from '../../../helpers/files/zip.ts'

const plain = { manifest_version: 3, name: 'Marker', version: '1.0' }
const worker = { background: { service_worker: 'worker.js' } }

const entriesOf = (manifest: unknown, files: readonly string[] = []): ZipEntry[] => [
  { name: 'manifest.json', text: JSON.stringify(manifest) },
  ...files.map((name) => ({ name, text: '// nothing' })),
]
const zipped = (manifest: unknown, ...files: string[]) => zipOf(entriesOf(manifest, files))
const read = (file: Buffer, owner = 'acme/marker') => readExtension(file, owner)

async function textOf(files: readonly ExtensionFile[], name: string): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of files.find((file) => file.name === name)!.read()) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

const idOf = (key: string) =>
  createHash('sha256')
    .update(Buffer.from(key, 'base64'))
    .digest('hex')
    .slice(0, 32)
    .replace(/./g, (digit) => String.fromCharCode(97 + parseInt(digit, 16)))

t.test('a ZIP, a ZIP of its folder, and a CRX with either kind of key', async (t) => {
  const files = entriesOf({ ...plain, ...worker, permissions: ['storage'] }, ['worker.js'])
  const inFolder = files.map((file) => ({ ...file, name: `marker/${file.name}` }))
  const rsa = crxOf(zipOf(files))
  const ec = crxOf(zipOf(files), 'ec')
  for (const [file, key] of [
    [zipOf(files), undefined],
    [zipOf([{ name: 'marker/' }, ...inFolder]), undefined],
    [zipOf([...files, { name: '__MACOSX/._worker.js' }, { name: '.DS_Store' }]), undefined],
    [zipOf([...files, { name: '_metadata/verified_contents.json' }]), undefined],
    [rsa.file, rsa.key],
    [ec.file, ec.key],
  ] as const) {
    const extension = await read(file)
    t.same(extension.files.map(({ name }) => name).sort(), ['manifest.json', 'worker.js'])
    t.match(extension.summary, { name: 'Marker', version: '1.0', permissions: ['storage'] })
    const written = JSON.parse(await textOf(extension.files, 'manifest.json')) as { key: string }
    t.equal(extension.chromiumId, idOf(written.key))
    if (key !== undefined) t.equal(written.key, key)
    t.equal(await textOf(extension.files, 'worker.js'), '// nothing')
  }
})

t.test('its id stays the same for the same name, and is its key’s if it has one', async (t) => {
  const { chromiumId } = await read(zipped(plain))
  t.equal((await read(zipped({ ...plain, version: '2' }))).chromiumId, chromiumId)
  t.not((await read(zipped(plain), 'acme/other')).chromiumId, chromiumId)
  t.not((await read(zipped(plain), 'other/marker')).chromiumId, chromiumId)
  const { key } = crxOf(Buffer.from('PK'))
  t.equal((await read(zipped({ ...plain, key }))).chromiumId, idOf(key))
  const pem = `-----BEGIN PUBLIC KEY-----\n${key.replace(/.{64}/g, '$&\n')}\n-----END PUBLIC KEY-----`
  t.equal((await read(zipped({ ...plain, key: pem }))).chromiumId, idOf(key))
})

t.test('names are in the words of the default language', async (t) => {
  const manifest = {
    ...plain,
    name: '__MSG_Title__',
    description: 'By __MSG_who__',
    default_locale: 'en',
  }
  const messages = JSON.stringify({ title: { message: 'Shown' }, WHO: { message: 'us' } })
  const name = '_locales/en/messages.json'
  const { summary } = await read(zipOf([...entriesOf(manifest), { name, text: messages }]))
  t.match(summary, { name: 'Shown', description: 'By us' })
  const broken = zipOf([...entriesOf(manifest), { name, text: '{' }])
  t.match((await read(broken)).summary, { name: '__MSG_Title__' })
})

t.test('what it lacks, or may not ask for, is named', async (t) => {
  const cases: readonly (readonly [unknown, RegExp])[] = [
    [{ ...plain, manifest_version: 2 }, /manifest_version must be 3/],
    [{ manifest_version: 3, version: '1' }, /name /],
    [{ ...plain, name: '' }, /name /],
    [{ ...plain, version: '1.0-beta' }, /version must be one to four numbers/],
    [[], /must be an object/],
    [null, /must be an object/],
    [{ ...plain, ...worker }, /background\.service_worker names worker\.js, which is not there/],
    [
      { ...plain, background: { scripts: ['a.js'] } },
      /background\.scripts must be a service_worker/,
    ],
    [{ ...plain, icons: { 16: 'i.png' } }, /icons names i\.png/],
    [{ ...plain, action: { default_popup: '/p.html' } }, /action\.default_popup names \/p\.html/],
    [{ ...plain, content_scripts: [{ matches: [], js: ['c.js'] }] }, /content_scripts\.0\.js/],
    [{ ...plain, default_locale: 'en' }, /_locales\/en\/messages\.json/],
    [
      { ...plain, declarative_net_request: { rule_resources: [{ path: 'r.json' }] } },
      /rule_resources names r\.json/,
    ],
    [{ ...plain, permissions: [{ usbDevices: [] }] }, /permissions\.0/],
    [{ ...plain, permissions: ['nativeMessaging'] }, /may not have nativeMessaging: it starts/],
    [{ ...plain, optional_permissions: ['nativeMessaging'] }, /may not have nativeMessaging/],
    [{ ...plain, permissions: ['autotestPrivate'] }, /may not have autotestPrivate/],
    [{ ...plain, host_permissions: ['file:///*'] }, /may not have file:\/\/\/\*: files are closed/],
    [{ ...plain, optional_host_permissions: [' FILE:///etc/*'] }, /files are closed/],
    [
      { ...plain, content_scripts: [{ matches: ['https://a/*', 'file:///*'] }] },
      /files are closed/,
    ],
    [{ ...plain, key: '!' }, /key must be a public key/],
  ]
  for (const [manifest, message] of cases) {
    await t.rejects(
      read(zipped(manifest)),
      { type: 'bad_request', message },
      JSON.stringify(manifest),
    )
  }
  for (const text of ['{', '{"name": "a", // no JSON\n}', '']) {
    const file = zipOf([{ name: 'manifest.json', text }])
    await t.rejects(read(file), { type: 'bad_request', message: /^manifest\.json: / }, text)
  }
})

t.test('permissions that need a network of its own are told, optional ones too', async (t) => {
  const manifest = {
    ...plain,
    permissions: ['tabs', 'proxy', 'debugger'],
    optional_permissions: ['management', 'privacy'],
  }
  t.same((await read(zipped(manifest))).guarded, ['debugger', 'management', 'privacy', 'proxy'])
  const harmless = { ...plain, permissions: ['tabs', 'menus'], host_permissions: ['<all_urls>'] }
  t.same((await read(zipped(harmless))).guarded, [])
})

t.test('archives that are none, or too much, or not what was signed', async (t) => {
  const zip = zipped(plain)
  const { file } = crxOf(zip)
  const changed = Buffer.from(file)
  changed[file.length - 10]! ^= 1
  const bad = (message: RegExp) => ({ type: 'bad_request', message })
  await t.rejects(read(Buffer.from('no archive')), bad(/^The ZIP cannot be read/))
  await t.rejects(read(Buffer.alloc(0)), bad(/^The ZIP cannot be read/))
  await t.rejects(read(changed), bad(/was changed after it was signed|cannot be read/))
  await t.rejects(read(crxOf(zip, 'ec', zipped(worker)).file), bad(/changed after it was signed/))
  for (let length = 4; length < file.length - zip.length; length += 7) {
    await t.rejects(read(file.subarray(0, length)), bad(/^The CRX file is damaged/))
  }
  const old = Buffer.from(file)
  old.writeUInt32LE(2, 4)
  await t.rejects(read(old), bad(/has version 2/))
  await t.rejects(read(zipOf([{ name: 'a/b.txt' }, { name: 'c/d.txt' }])), bad(/no manifest\.json/))
  await t.rejects(read(zipped(plain, '_private/a.js')), bad(/_private\/a\.js: Chromium reserves/))
  await t.rejects(read(zipped(plain, '../a.js')), bad(/^The ZIP cannot be read/))
  const link = { name: 'link', text: '/etc/passwd', unixMode: 0o120777 }
  await t.rejects(read(zipOf([...entriesOf(plain), link])), bad(/not a plain file/))
  const bomb = { name: 'big', claimedBytes: extensionUploadLimits.unpackedBytes }
  await t.rejects(read(zipOf([...entriesOf(plain), bomb])), {
    name: 'ServiceError',
    type: 'too_large',
  })
  const many = Array.from({ length: extensionUploadLimits.filesMax }, (_, i) => `f${i}`)
  await t.rejects(read(zipped(plain, ...many)), { name: 'ServiceError', type: 'too_large' })
})

t.test('a file of another size than the archive states is not passed on', async (t) => {
  const liar = { name: 'liar.js', text: 'x'.repeat(1_000), claimedBytes: 10 }
  const { files } = await read(zipOf([...entriesOf(plain), liar]))
  await t.rejects(textOf(files, 'liar.js'), { type: 'bad_request', message: /cannot be read/ })
})
