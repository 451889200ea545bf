/*
 * Collects the lines of one walk over the page: [depth, flags, parts]. A part is a text, or an
 * element that can be referred to: {o: role, r: number, n: name, v: value, s: states, h: hint, u:
 * address}.
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
    /** From this time on, only elements that may contain the searched text are visited. */
    this.hurryMs = needle ? now + readMs / 2 : Infinity
    this.word = needle && longestWord(needle)
    this.hurries = false
    this.linesMax = linesMax
    this.charsLeft = charsMax
    this.lines = []
    this.parts = []
    this.flags = 0
    this.depth = 0
    /** True if white space occurred after the last text. */
    this.spaced = false
    this.hosts = []
    /** Frames of other origins, with the indexes of their lines. */
    this.frames = []
    this.skipped = 0
    /** The area of canvases in view, in pixels. */
    this.drawn = 0
    this.visited = 0
    this.late = false
  }

  /** Ends the current line. */
  flush() {
    if (this.parts.length > 0 && this.isWanted()) {
      this.lines.push([this.depth, this.flags, this.parts])
      for (const part of this.parts) this.charsLeft -= lengthOf(part)
      if (this.charsLeft < 0) this.late = true
    }
    this.parts = []
    this.flags = 0
  }

  /** True for every line or, in a search, for lines with the word and for headings and groups. */
  isWanted() {
    if (!this.word || this.flags & (flag.heading | flag.group)) return true
    return this.parts.some((part) => textIn(part).toLowerCase().includes(this.word))
  }

  /** Ends the line before a block; within a table row, writes a space instead. */
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
      // Left out text still separates the words around it.
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

  /** Adds a line, and puts the lines of `walk` below it. */
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
