/** Reads an uploaded extension, a ZIP or a CRX of version 3, and checks it. */
import { createHash } from 'node:crypto'
import { z } from 'zod'
import { fromBufferPromise, type Entry, type ZipFile } from 'yauzl'
import { ServiceError } from '../../../proto/errors.ts'
import { chromiumIdOf, type ExtensionManifest } from '../../../proto/session/extension.ts'
import { brokenZip, plainEntriesOf } from '../../../runtime/lib/files/zip-entries.ts'
import { extensionUploadLimits } from '../limits.ts'
import { idOfKey, readCrx } from './crx.ts'
import { checkManifest, type CheckedManifest } from './manifest.ts'

export interface ReadExtension extends Pick<CheckedManifest, 'summary' | 'guarded'> {
  readonly chromiumId: string
  /** Checked as it is read. */
  readonly files: readonly ExtensionFile[]
}

export interface ExtensionFile {
  /** Relative to the extension's folder. */
  readonly name: string
  readonly bytes: number
  read(): AsyncIterable<Uint8Array>
}

const manifestName = 'manifest.json'
const { filesMax, unpackedBytes: bytesMax, pathBytes, manifestBytes } = extensionUploadLimits

/**
 * Throws `bad_request` or `too_large`, with the file and the reason.
 *
 * @param owner For an extension without a key: what its id follows from. The same owner gets the same
 *   id, so that what the extension has stored in a profile stays its own.
 */
export async function readExtension(file: Buffer, owner: string): Promise<ReadExtension> {
  const { zip: bytes, key: signer } = readCrx(file)
  const zip = await fromBufferPromise(bytes).catch((cause: unknown) => {
    throw brokenZip(cause)
  })
  const entries = byName(await plainEntriesOf(zip, { filesMax, bytesMax, pathBytes }))
  const found = entries.get(manifestName)
  if (!found) throw noManifest()
  const reserved = [...entries.keys()].find((name) => /^_(?!locales\/)/.test(name))
  if (reserved !== undefined) throw reservedName(reserved)
  const json = await textOf(zip, found)
  const manifest = checkManifest(json, (path) => entries.has(path))
  const key = keyOf(manifest, signer, owner)
  const written = Buffer.from(JSON.stringify({ ...manifest.all, key: key.toString('base64') }))
  entries.delete(manifestName)
  const messages = entries.get(`_locales/${manifest.locale}/messages.json`)
  const summary = messages
    ? translated(manifest.summary, await textOf(zip, messages))
    : manifest.summary
  return {
    ...{ summary, guarded: manifest.guarded },
    chromiumId: chromiumIdOf(idOfKey(key)),
    files: [
      { name: manifestName, bytes: written.length, read: () => once(written) },
      ...[...entries].map(([name, entry]) => ({
        ...{ name, bytes: entry.uncompressedSize },
        read: () => contentOf(zip, entry),
      })),
    ],
  }
}

/** With the texts that names such as `__MSG_appName__` stand for. */
function translated(summary: ExtensionManifest, json: string): ExtensionManifest {
  const texts = messagesIn(json)
  const say = (text: string) =>
    text.replace(
      /__MSG_([\w@]+)__/g,
      (whole, name: string) => texts.get(name.toLowerCase()) ?? whole,
    )
  const { name, description } = summary
  return {
    ...{ ...summary, name: say(name) },
    ...(description !== undefined && { description: say(description) }),
  }
}

/** By name in small letters; Chromium does not tell capitals from them. */
function messagesIn(json: string): Map<string, string> {
  const shape = z.record(z.string(), z.looseObject({ message: z.string() }))
  try {
    const messages = shape.parse(JSON.parse(json.replace(/^\uFEFF/, '')))
    return new Map(Object.entries(messages).map(([name, it]) => [name.toLowerCase(), it.message]))
  } catch {
    // Chromium says at loading what is wrong with it.
    return new Map()
  }
}

/** A manifest's own key wins, as in Chromium. */
function keyOf({ key }: CheckedManifest, signer: Buffer | undefined, owner: string): Buffer {
  if (key === undefined) return signer ?? createHash('sha256').update(owner).digest()
  const bytes = Buffer.from(key.replace(/-----[^-]+-----/g, ''), 'base64')
  if (bytes.length > 0) return bytes
  throw new ServiceError('bad_request', 'manifest.json: key must be a public key in base64.', {
    field: 'file',
  })
}

/**
 * By path below the folder that has the manifest, which may be the only one. Without what archives of
 * other systems carry along, and what belongs to the Web Store.
 */
function byName(entries: readonly Entry[]): Map<string, Entry> {
  const paths = entries.map((entry) => [entry.fileName, entry] as const)
  const own = paths.filter(([path]) => !/(^|\/)(__MACOSX\/|\.DS_Store$)|^_metadata\//.test(path))
  const names = own.map(([path]) => path)
  const [first = ''] = names
  const folder = first.slice(0, first.indexOf('/') + 1)
  const isInFolder =
    folder !== '' && !names.includes(manifestName) && names.every((name) => name.startsWith(folder))
  const cut = isInFolder ? folder.length : 0
  return new Map(own.map(([path, entry]) => [path.slice(cut), entry]))
}

async function textOf(zip: ZipFile, entry: Entry): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of contentOf(zip, entry)) {
    bytes += chunk.length
    if (bytes > manifestBytes) {
      const text = `${entry.fileName} can have at most ${manifestBytes} bytes.`
      throw new ServiceError('too_large', text, { limit_bytes: manifestBytes })
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** yauzl refuses contents of another size than the archive states. */
async function* contentOf(zip: ZipFile, entry: Entry): AsyncGenerator<Uint8Array> {
  try {
    yield* (await zip.openReadStreamPromise(entry)) as AsyncIterable<Uint8Array>
  } catch (cause) {
    throw brokenZip(cause)
  }
}

async function* once(bytes: Uint8Array) {
  yield bytes
}

function reservedName(name: string): ServiceError {
  const text = `${name}: Chromium reserves names that begin with _ for itself; rename it.`
  return new ServiceError('bad_request', text, { field: 'file' })
}

function noManifest(): ServiceError {
  const text =
    'The ZIP has no manifest.json, neither at its top nor in its only folder; pack the folder of the ' +
    'extension.'
  return new ServiceError('bad_request', text, { field: 'file' })
}
