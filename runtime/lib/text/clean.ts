/** Makes text of a page safe for a model to read. Pure. */

/**
 * Characters that reverse text, are hidden in it or are invisible: bidi controls, zero width, tags.
 */
const unseen =
  /[\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200F\u202A-\u202E\u2060-\u206F\u3164\uFE00-\uFE0F\uFEFF\uFFA0\uFFF9-\uFFFB]|[\u{E0000}-\u{E0FFF}]|\p{Cc}/u

/** Joins persons and colours within one emoji, where it is kept. */
const emojiJoiner =
  /(?<=\p{Extended_Pictographic}\p{Emoji_Modifier}?)\u200D(?=\p{Extended_Pictographic})/u

const unseenOrJoiner = new RegExp(`(${emojiJoiner.source})|${unseen.source}`, 'gu')

/** Half a character, which encoders reject. */
const loneSurrogate = /\p{Surrogate}/gu

export function cleanText(text: string): string {
  return text
    .replace(loneSurrogate, '\uFFFD')
    .replace(/\s+/g, ' ')
    .replace(unseenOrJoiner, (_, joiner: string | undefined) => joiner ?? '')
    .replace(/ {2,}/g, ' ')
    .trim()
}

/** The same for text with lines; keeps at most one empty line in a row. */
export function cleanLines(text: string): string {
  const lines = text.split('\n').map((line) => {
    const [indent] = /^ */.exec(line)!
    return (indent + cleanText(line)).trimEnd()
  })
  return lines
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

/** Names are written in quotes, so they must not contain any. */
export const cleanName = (name: string): string => cleanText(name).replaceAll('"', "'")

/** Cuts at the end of a word if there is one near. */
export function truncateText(text: string, chars: number): string {
  if (text.length <= chars) return text
  const head = text.slice(0, chars).replace(loneSurrogate, '')
  const space = head.lastIndexOf(' ')
  return `${space > chars * 0.7 ? head.slice(0, space) : head}…`
}
