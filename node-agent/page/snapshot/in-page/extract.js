/* Extracts the content of a page, or a part of it, as Markdown or plain HTML. */

const sides = 'nav, footer, aside, [role=navigation], [role=contentinfo], [role=complementary]'
const kept = new Set(
  (
    'h1 h2 h3 h4 h5 h6 p ul ol li dl dt dd table thead tbody tr th td caption blockquote pre code a b strong i em ' +
    'img br hr figure figcaption time sub sup'
  ).split(' '),
)
const keptAttributes = {
  a: ['href'],
  img: ['src', 'alt'],
  td: ['colspan'],
  th: ['colspan'],
  time: ['datetime'],
}

/** The main part of the page, if the page marks one with enough text. */
function mainPart() {
  const all = document.body?.textContent.length ?? 0
  let best
  for (const part of document.querySelectorAll('main, article, [role=main]')) {
    if (!best || part.textContent.length > best.textContent.length) best = part
  }
  return best && best.textContent.length > 0.25 * all ? best : document.body
}

class Extract {
  constructor(format, untilMs, charsMax, withSides) {
    this.html = format === 'html'
    this.untilMs = untilMs
    this.charsMax = charsMax
    this.withSides = withSides
    /** Texts, and the numbers of frames of other origins. */
    this.chunks = ['']
    /** The last two characters written. */
    this.end = ''
    this.chars = 0
    this.stopped = false
    this.lists = []
    this.indent = ''
    this.pre = false
    /** Only for Markdown: true if white space occurred after the last text. */
    this.spaced = false
    /** Marks to be written before the next text, so that elements without text get no marks. */
    this.marks = []
  }

  write(text) {
    if (this.chars > this.charsMax) return
    this.chars += text.length
    this.chunks[this.chunks.length - 1] += text
    this.end = (this.end + text.slice(-2)).slice(-2)
  }

  /** Called before a text: writes the space, which is outside of marks, and the pending marks. */
  open() {
    if (this.html) return
    if (this.spaced && !this.isApart()) this.write(' ')
    this.spaced = false
    for (const mark of this.marks.splice(0)) this.write(mark)
  }

  /** Writes the content of an element between marks, unless it has none. */
  within(before, node, context, after = '') {
    const outer = this.marks.length
    this.marks.push(before)
    this.children(node, context)
    if (this.marks.length > outer) this.marks.length = outer
    else this.write(after)
  }

  /** In HTML, separates blocks whose tags are not kept. */
  apart() {
    if (!this.isApart()) this.write(' ')
  }

  isApart() {
    return /(^|\s)$/.test(this.end)
  }

  /** Writes a blank line unless there is one. */
  block() {
    if (this.html) return
    this.spaced = false
    const { end } = this
    if (end !== '' && end !== '\n\n') this.write(end.endsWith('\n') ? '\n' : '\n\n')
    if (this.indent) this.write(this.indent)
  }

  isDrawn(element, style, rect) {
    if (style.display === 'none' || style.display === '' || isVeiled(style, style.display))
      return false
    return !isOffPage(rect, viewOf(element.ownerDocument), style) && !isClippedAway(style, rect)
  }

  visit(node, context) {
    if (node.nodeType === 3) return this.text(node, context)
    if (node.nodeType !== 1 || unread.has(node.localName)) return
    if (this.chars > this.charsMax || performance.now() > this.untilMs) {
      this.stopped = true
      return
    }
    const style = getComputedStyle(node)
    const flows = style.display === 'inline' || style.display === 'contents'
    if (!flows && !this.isDrawn(node, style, node.getBoundingClientRect())) return
    if (flows && isVeiled(style, style.display)) return
    if (!this.withSides && node.matches(sides)) return
    const inner = { style, host: node, hidden: style.visibility !== 'visible' }
    if (node.localName === 'iframe' || node.localName === 'frame') return this.frame(node, inner)
    if (this.html) this.element(node, flows, inner)
    else this.mark(node, flows, inner)
  }

  children(node, context) {
    for (const child of childrenOf(node)) this.visit(child, context)
  }

  text(node, { style, host, hidden }) {
    if (hidden || isUnreadable(host, style)) {
      this.spaced ||= /^\s|\s$/.test(node.data)
    } else if (this.pre) {
      this.open()
      this.write(this.html ? escaped(node.data) : node.data)
    } else if (this.html) {
      const text = node.data.replace(/\s+/g, ' ')
      this.write(escaped(this.isApart() ? text.trimStart() : text))
    } else this.words(node.data)
  }

  /**
   * In Markdown: collapses white space to one space, without spaces at the edges of blocks and
   * marks.
   */
  words(text) {
    this.spaced ||= /^\s/.test(text)
    const words = squeeze(text)
    if (words === '') return
    this.open()
    this.write(words)
    this.spaced = /\s$/.test(text)
  }

  frame(node, context) {
    const inner = documentIn(node)
    this.block()
    if (inner?.body) this.children(inner.body, context)
    else if (inner === null) {
      this.chunks.push(numberOf(node), '')
      this.end = ''
    }
    this.block()
  }

  element(node, flows, context) {
    const name = node.localName
    if (!kept.has(name)) {
      if (!flows) this.apart()
      this.children(node, context)
      if (!flows) this.apart()
      return
    }
    const given = (keptAttributes[name] ?? []).filter((one) => node.hasAttribute(one))
    const attributes = given.map(
      (one) => ` ${one}="${escaped(node[one] ?? node.getAttribute(one))}"`,
    )
    this.write(`<${name}${attributes.join('')}>`)
    if (name === 'img' || name === 'br' || name === 'hr') return
    this.pre ||= name === 'pre'
    this.children(node, context)
    if (name === 'pre') this.pre = false
    this.write(`</${name}>`)
  }

  mark(node, flows, context) {
    const name = node.localName
    const within = (before, after) => this.within(before, node, context, after)
    switch (name) {
      case 'br':
        this.spaced = false
        return this.write(`  \n${this.indent}`)
      case 'hr':
        this.block()
        return this.write('---')
      case 'img':
        if (!node.alt) return
        this.open()
        return this.write(`![${node.alt}](${node.src.startsWith('data:') ? '' : node.src})`)
      case 'a':
        return node.href ? within('[', `](${node.href})`) : this.children(node, context)
      case 'b':
      case 'strong':
        return within('**', '**')
      case 'i':
      case 'em':
        return within('*', '*')
      case 'code':
        return this.pre ? this.children(node, context) : within('`', '`')
      case 'pre':
        this.block()
        this.pre = true
        within('```\n', '\n```')
        this.pre = false
        return this.block()
      case 'ul':
      case 'ol':
        return this.list(node, name, context)
      case 'table':
        return this.table(node, context)
      case 'select':
      case 'textarea':
      case 'button':
        return undefined
      case 'blockquote':
        this.block()
        within('> ', '')
        return this.block()
    }
    if (/^h[1-6]$/.test(name)) {
      this.block()
      within(`${'#'.repeat(Number(name[1]))} `, '')
      return this.block()
    }
    if (flows) return this.children(node, context)
    this.block()
    this.children(node, context)
    this.block()
  }

  list(node, name, context) {
    if (this.lists.length === 0) this.block()
    this.lists.push(name)
    const pad = '  '.repeat(this.lists.length - 1)
    let number = 0
    for (const child of childrenOf(node)) {
      if (child.nodeType !== 1) continue
      this.spaced = false
      if (!/(^|\n)$/.test(this.end)) this.write('\n')
      this.write(`${pad}${name === 'ol' ? `${++number}.` : '-'} `)
      for (const inner of childrenOf(child)) this.visit(inner, { ...context, host: child })
    }
    this.lists.pop()
    if (this.lists.length === 0) this.block()
  }

  table(node, context) {
    const rows = [...(node.rows ?? [])]
    if (rows.length < 2 || node.querySelector('table')) return this.children(node, context)
    this.block()
    for (const [at, row] of rows.entries()) {
      const cells = [...row.cells].map((cell) => contentOf(cell, 2_000).replaceAll('|', '\\|'))
      this.write(`| ${cells.join(' | ')} |\n`)
      if (at === 0) this.write(`|${' --- |'.repeat(cells.length)}\n`)
    }
    this.block()
  }
}

const entities = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escaped = (text) => String(text).replace(/[&<>"]/g, (one) => entities[one])

function extract({ within, format, readMs, charsMax, firstNumber, rememberedMax }) {
  begin(firstNumber, rememberedMax)
  const top = within ?? mainPart()
  const withSides = within !== undefined || top !== document.body
  const writer = new Extract(format, performance.now() + readMs, charsMax, withSides)
  const visible = { style: undefined, host: top, hidden: false }
  if (top) {
    const style = getComputedStyle(top)
    writer.children(top, { ...visible, style, hidden: style.visibility !== 'visible' })
  }
  const rest = writer.stopped ? Math.max(0, top.textContent.length - writer.chars) : 0
  return { chunks: writer.chunks, rest, lastNumber }
}
