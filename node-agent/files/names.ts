/**
 * Names of files that others chose. What comes out is one component of a path: it leads nowhere,
 * any file system takes it, and it still ends as it did.
 */
import { limits } from '../../proto/limits.ts'

const nameless = 'file'
/** Nothing a shell, a header or a screen would take for anything but a name. */
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu
const forbidden = /[<>:"|?*]/g
/** Devices to some systems, whatever they end in. */
const reserved = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)/i

export function safeName(given: string): string {
  const last = given.split(/[/\\]/).at(-1)!
  const printable = last.replace(unprintable, '').replace(forbidden, '_')
  // Dots before it hide a file or lead upwards; dots and spaces after it are lost on some systems.
  const bare = printable.replace(/^[.\s]+/, '').replace(/[.\s]+$/, '')
  const cut = shortened(bare === '' ? nameless : bare, limits.fileNameBytes)
  return reserved.test(cut) ? `_${cut}` : cut
}

/** The name itself, or the first of `name (1).txt`, `name (2).txt` … that is free. */
export function freeName(name: string, isTaken: (name: string) => boolean): string {
  if (!isTaken(name)) return name
  for (let number = 1; ; number++) {
    const suffix = ` (${number})`
    const [stem, extension] = parts(shortened(name, limits.fileNameBytes - suffix.length))
    const candidate = stem + suffix + extension
    if (!isTaken(candidate)) return candidate
  }
}

/** Cut before its extension, between characters. */
function shortened(name: string, bytesMax: number): string {
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

/** Longer than this it is no extension but a part of the name. */
const extensionPattern = /\.[^.\s]{1,16}$/

function parts(name: string): readonly [stem: string, extension: string] {
  const at = name.search(extensionPattern)
  return at > 0 ? [name.slice(0, at), name.slice(at)] : [name, '']
}
