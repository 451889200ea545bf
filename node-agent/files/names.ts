/**
 * Sanitises untrusted file names. The result is a single path component that is valid on every file
 * system and keeps its extension.
 */
import { folderLimits } from './limits.ts'

const nameless = 'file'
/** Characters that are invisible or have special effects in shells, headers or on screens. */
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu
const forbidden = /[<>:"|?*]/g
/** Device names on some systems, with any extension. */
const reserved = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)/i

export function safeName(given: string): string {
  const last = given.split(/[/\\]/).at(-1)!
  const printable = last.replace(unprintable, '').replace(forbidden, '_')
  // Leading dots hide a file or lead upwards; some systems drop trailing dots and spaces.
  const bare = printable.replace(/^[.\s]+/, '').replace(/[.\s]+$/, '')
  const cut = shortenName(bare === '' ? nameless : bare, folderLimits.fileNameBytes)
  return reserved.test(cut) ? `_${cut}` : cut
}

/** Returns the name, or the first free one of `name (1).txt`, `name (2).txt` … */
export function freeName(name: string, isTaken: (name: string) => boolean): string {
  if (!isTaken(name)) return name
  for (let number = 1; ; number++) {
    const suffix = ` (${number})`
    const [stem, extension] = parts(shortenName(name, folderLimits.fileNameBytes - suffix.length))
    const candidate = stem + suffix + extension
    if (!isTaken(candidate)) return candidate
  }
}

/** Cuts before the extension, between characters. */
function shortenName(name: string, bytesMax: number): string {
  if (Buffer.byteLength(name) <= bytesMax) return name
  const [stem, extension] = parts(name)
  const room = bytesMax - Buffer.byteLength(extension)
  let kept = ''
  let bytes = 0
  for (const character of stem) {
    bytes += Buffer.byteLength(character)
    if (bytes > room) break
    kept += character
  }
  return kept + extension
}

/** A longer suffix is not an extension but a part of the name. */
const extensionPattern = /\.[^.\s]{1,16}$/

function parts(name: string): readonly [stem: string, extension: string] {
  const at = name.search(extensionPattern)
  return at > 0 ? [name.slice(0, at), name.slice(at)] : [name, '']
}
