/*
 * One walk over the page. It makes lines: [depth, flags, parts]; a part is a text, or what can be
 * pointed at: {o: role, r: number, n: name, v: value, s: states, h: hint, u: address}.
 */

const flag = { inView: 1, heading: 2, dialog: 4, group: 8, row: 16, above: 32 }
const replaced = new Set(
  'img canvas iframe frame video audio svg input button select textarea object embed'.split(' '),
)
const lineParts = 8
const textMax = 2_000

const textIn = (part) => (typeof part === 'string' ? part : Object.values(part).join(' '))
const lengthOf = (part) => textIn(part).length

class Lines {
  constructor({ urls, readMs, linesMax, charsMax, needle }) {
    this.urls = urls
    const now = performance.now()
    this.untilMs = now + readMs
    /** From when on only what can have the text that is looked for is looked at. */
    this.hurryMs = needle ? now + readMs / 2 : Infinity
    this.word = needle && longestWord(needle)
    this.hurries = false
    this.linesMax = linesMax
    this.charsLeft = charsMax
    this.lines = []
    this.parts = []
    this.flags = 0
    this.depth = 0
    /** White space has come since the last text. */
    this.spaced = false
    this.hosts = []
    /** Frames of other origins, by the place of their line. */
    this.frames = []
    this.skipped = 0
    /** Pixels of canvases in view. */
    this.drawn = 0
    this.visited = 0
    this.late = false
  }

  /** Ends the line that is being made. */
  flush() {
    if (this.parts.length > 0 && this.isWanted()) {
      this.lines.push([this.depth, this.flags, this.parts])
      for (const part of this.parts) this.charsLeft -= lengthOf(part)
      if (this.charsLeft < 0) this.late = true
    }
    this.parts = []
    this.flags = 0
  }

  /** Everything, or what has the word that is looked for, and what tells where that is. */
  isWanted() {
    if (!this.word || this.flags & (flag.heading | flag.group)) return true
    return this.parts.some((part) => textIn(part).toLowerCase().includes(this.word))
  }

  /** Ends it before a block; in a row of a table nothing does, and a space stands for that. */
  part(context) {
    if (context.row) this.spaced = true
    else this.flush()
  }

  add(part, flags) {
    if (this.parts.length >= lineParts && !(flags & flag.row)) this.flush()
    this.flags |= flags
    this.parts.push(part)
  }

  text(node, context) {
    const text = squeeze(node.data)
    const isLeftOut = text === '' || context.mute || context.hidden || context.inside
    if (isLeftOut || isUnreadable(context.host, context.style)) {
      // The words on either side are apart all the same.
      this.spaced ||= /^\s|\s$/.test(node.data)
      return
    }
    const last = this.parts.length - 1
    const before = this.parts[last]
    if (typeof before === 'string') {
      const gap = this.spaced || /^\s/.test(node.data) ? ' ' : ''
      const room = textMax - before.length - gap.length
      if (room > 0) this.parts[last] += gap + text.slice(0, room)
    } else this.add(text.slice(0, textMax), context.at | context.dialog)
    this.spaced = /\s$/.test(node.data)
  }

  /** Opens a line that what is inside stands below. */
  open(part, context, flags, walk) {
    this.flush()
    this.add(part, context.at | flag.group | flags)
    this.flush()
    this.depth++
    const at = this.lines.length
    walk()
    this.flush()
    this.depth--
    return this.lines.length > at
  }
}
