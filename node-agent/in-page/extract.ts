/** Extracts the content of a page, or a part of it, as Markdown or plain HTML. */
import type { AnyElement } from './any-element.ts'
import {
  attributeOf,
  documentOf,
  firstIn,
  hasAttribute,
  matches,
  rectOf,
  rootOf,
  shadowRootOf,
  styleOf,
} from './dom.ts'
import { contentOf, squeeze } from './snapshot/accessible-name.ts'
import { documentIn, isFrame } from './snapshot/frames.ts'
import { type NumberOptions, startWalk } from './snapshot/read.ts'
import {
  generatedText,
  isSetApart,
  keptWhiteSpace,
  type KeptWhiteSpace,
  learnGenerated,
  mayBeKept,
  type PseudoElement,
  shownLines,
} from './snapshot/text.ts'
import { childrenOf, isElement, isText, lastNumber, numberOf, unread } from './snapshot/tree.ts'
import { isClippedAway, isOffPage, isUnreadable, isVeiled, viewOf } from './snapshot/visible.ts'

const sides = 'nav, footer, aside, [role=navigation], [role=contentinfo], [role=complementary]'
const kept = new Set(
  (
    'h1 h2 h3 h4 h5 h6 p ul ol li dl dt dd table thead tbody tr th td caption blockquote pre code a b strong i em ' +
    'img br hr figure figcaption time sub sup'
  ).split(' '),
)
const keptAttributes: Readonly<Record<string, readonly string[]>> = {
  a: ['href'],
  img: ['src', 'alt'],
  td: ['colspan'],
  th: ['colspan'],
  time: ['datetime'],
}

/** The main part of the page, if the page marks one with enough text. */
function mainPart(): Element | null {
  const lengthOf = (element: Element | null) => element?.textContent?.length ?? 0
  let best: Element | null = null
  for (const part of document.querySelectorAll('main, article, [role=main]')) {
    if (!best || lengthOf(part) > lengthOf(best)) best = part
  }
  return lengthOf(best) > 0.25 * lengthOf(document.body) ? best : document.body
}

/** What is known of a node from the elements around it. */
export interface ExtractContext {
  readonly style: CSSStyleDeclaration
  readonly host: Element
  readonly hidden: boolean
}

export interface ExtractLimits {
  readonly format: 'markdown' | 'html'
  readonly readMs: number
  readonly charsMax: number
}

class TextWriter {
  /** Texts, and the numbers of frames of other origins. */
  readonly chunks: (string | number)[] = ['']
  readonly #html: boolean
  readonly #untilMs: number
  readonly #charsMax: number
  readonly #withSides: boolean
  chars = 0
  stopped = false
  /** The last two characters written. */
  #end = ''
  #pre = false
  /** The depth of nested lists. */
  #lists = 0
  /** Only for Markdown: true if white space occurred after the last text. */
  #spaced = false
  /** Marks to be written before the next text, so that elements without text get no marks. */
  readonly #marks: string[] = []

  constructor({ format, readMs, charsMax }: ExtractLimits, withSides: boolean) {
    this.#html = format === 'html'
    this.#untilMs = performance.now() + readMs
    this.#charsMax = charsMax
    this.#withSides = withSides
  }

  #write(text: string): void {
    if (this.chars > this.#charsMax) return
    this.chars += text.length
    const last = this.chunks.length - 1
    this.chunks[last] = String(this.chunks[last]) + text
    this.#end = (this.#end + text.slice(-2)).slice(-2)
  }

  /** Called before a text: writes the space, which is outside of marks, and the pending marks. */
  #open(): void {
    if (this.#html) return
    if (this.#spaced && !this.#isApart()) this.#write(' ')
    this.#spaced = false
    for (const mark of this.#marks.splice(0)) this.#write(mark)
  }

  /** Writes the content of an element between marks, unless it has none. */
  #within(before: string, node: Element, context: ExtractContext, after = ''): void {
    const outer = this.#marks.length
    this.#marks.push(before)
    this.children(node, context)
    if (this.#marks.length > outer) this.#marks.length = outer
    else this.#write(after)
  }

  /** In HTML, separates blocks whose tags are not kept. */
  #apart(): void {
    if (!this.#isApart()) this.#write(' ')
  }

  #isApart(): boolean {
    return /(^|\s)$/.test(this.#end)
  }

  /** Writes a blank line unless there is one. */
  #block(): void {
    if (this.#html) return
    this.#spaced = false
    const end = this.#end
    if (end !== '' && end !== '\n\n') this.#write(end.endsWith('\n') ? '\n' : '\n\n')
  }

  #isDrawn(element: Element, style: CSSStyleDeclaration, rect: DOMRect): boolean {
    if (style.display === 'none' || style.display === '' || isVeiled(style, style.display))
      return false
    const view = viewOf(documentOf(element))
    return !isOffPage(element, rect, view, style) && !isClippedAway(style, rect)
  }

  #visit(node: Node, context: ExtractContext): void {
    if (isText(node)) return this.#text(node, context)
    if (!isElement(node) || unread.has(node.localName)) return
    if (this.chars > this.#charsMax || performance.now() > this.#untilMs) {
      this.stopped = true
      return
    }
    const style = styleOf(node)
    const flows = style.display === 'inline' || style.display === 'contents'
    if (!flows && !this.#isDrawn(node, style, rectOf(node))) return
    if (flows && isVeiled(style, style.display)) return
    if (!this.#withSides && matches(node, sides)) return
    const inner = { style, host: node, hidden: style.visibility !== 'visible' }
    if (isFrame(node)) return this.#frame(node, inner)
    const box = style.display.startsWith('inline-')
    if (box && isSetApart(style, 'Left')) this.#separate()
    if (this.#html) this.#element(node, flows || box, inner)
    else this.#mark(node, flows || box, inner)
    if (box && isSetApart(style, 'Right')) this.#separate()
  }

  /** A space between boxes of one line that the page sets apart. */
  #separate(): void {
    if (this.#html) this.#apart()
    else this.#spaced = true
  }

  children(node: Element, context: ExtractContext): void {
    const shadow = shadowRootOf(node)
    if (shadow) learnGenerated(shadow)
    this.#generated(node, '::before', context)
    for (const child of childrenOf(node)) this.#visit(child, context)
    this.#generated(node, '::after', context)
  }

  #generated(node: Element, pseudo: PseudoElement, context: ExtractContext): void {
    const data = generatedText(node, pseudo)
    if (data !== '') this.#text({ data }, context)
  }

  #text(node: Pick<Text, 'data'>, { style, host, hidden }: ExtractContext): void {
    if (hidden || isUnreadable(host, style)) {
      this.#spaced ||= /^\s|\s$/.test(node.data)
    } else if (this.#pre || (mayBeKept.test(node.data) && keptWhiteSpace(style) !== '')) {
      this.#shown(node.data, keptWhiteSpace(style) || 'all')
    } else if (this.#html) {
      const text = node.data.replace(/\s+/g, ' ')
      this.#write(escaped(this.#isApart() ? text.trimStart() : text))
    } else this.#words(node.data)
  }

  /** Writes text whose lines the page shows as they are; in HTML, only `pre` keeps them by itself. */
  #shown(data: string, kept: KeptWhiteSpace): void {
    const lines = shownLines(data, kept)
    if (!this.#html) {
      this.#open()
      return this.#write(lines.join('\n'))
    }
    this.#write(lines.map(escaped).join(this.#pre ? '\n' : '<br>\n'))
  }

  /**
   * In Markdown: collapses white space to one space, without spaces at the edges of blocks and
   * marks.
   */
  #words(text: string): void {
    this.#spaced ||= /^\s/.test(text)
    const words = squeeze(text)
    if (words === '') return
    this.#open()
    this.#write(words)
    this.#spaced = /\s$/.test(text)
  }

  #frame(node: Element, context: ExtractContext): void {
    const inner = documentIn(node)
    this.#block()
    if (inner?.body) learnGenerated(inner)
    if (inner?.body) this.children(inner.body, context)
    else if (inner === null) {
      this.chunks.push(numberOf(node), '')
      this.#end = ''
    }
    this.#block()
  }

  #element(node: AnyElement, flows: boolean, context: ExtractContext): void {
    const name = node.localName
    if (!kept.has(name)) {
      if (!flows) this.#apart()
      this.children(node, context)
      if (!flows) this.#apart()
      return
    }
    const given = (keptAttributes[name] ?? []).filter((one) => hasAttribute(node, one))
    const attributes = given.map(
      (one) => ` ${one}="${escaped(Reflect.get(node, one) ?? attributeOf(node, one))}"`,
    )
    this.#write(`<${name}${attributes.join('')}>`)
    if (name === 'img' || name === 'br' || name === 'hr') return
    this.#pre ||= name === 'pre'
    this.children(node, context)
    if (name === 'pre') this.#pre = false
    this.#write(`</${name}>`)
  }

  #mark(node: AnyElement, flows: boolean, context: ExtractContext): void {
    const { localName: name, src = '' } = node
    const within = (before: string, after: string) => this.#within(before, node, context, after)
    switch (name) {
      case 'br':
        this.#spaced = false
        return this.#write('  \n')
      case 'hr':
        this.#block()
        return this.#write('---')
      case 'img':
        if (!node.alt) return
        this.#open()
        return this.#write(`![${node.alt}](${src.startsWith('data:') ? '' : src})`)
      case 'a':
        return node.href ? within('[', `](${node.href})`) : this.children(node, context)
      case 'b':
      case 'strong':
        return within('**', '**')
      case 'i':
      case 'em':
        return within('*', '*')
      case 'code':
        return this.#pre ? this.children(node, context) : within('`', '`')
      case 'pre':
        this.#block()
        this.#pre = true
        within('```\n', '\n```')
        this.#pre = false
        return this.#block()
      case 'ul':
      case 'ol':
        return this.#list(node, name, context)
      case 'table':
        return this.#table(node, context)
      case 'select':
      case 'textarea':
      case 'button':
        return undefined
      case 'blockquote':
        this.#block()
        within('> ', '')
        return this.#block()
    }
    if (/^h[1-6]$/.test(name)) {
      this.#block()
      within(`${'#'.repeat(Number(name[1]))} `, '')
      return this.#block()
    }
    if (flows) return this.children(node, context)
    this.#block()
    this.children(node, context)
    this.#block()
  }

  #list(node: Element, name: 'ul' | 'ol', context: ExtractContext): void {
    if (this.#lists === 0) this.#block()
    const pad = '  '.repeat(this.#lists++)
    let number = 0
    for (const child of childrenOf(node)) {
      if (!isElement(child)) continue
      this.#spaced = false
      if (!/(^|\n)$/.test(this.#end)) this.#write('\n')
      this.#write(`${pad}${name === 'ol' ? `${++number}.` : '-'} `)
      for (const inner of childrenOf(child)) this.#visit(inner, { ...context, host: child })
    }
    this.#lists--
    if (this.#lists === 0) this.#block()
  }

  #table(node: AnyElement, context: ExtractContext): void {
    const rows = [...(node.rows ?? [])]
    if (rows.length < 2 || firstIn(node, 'table')) return this.children(node, context)
    this.#block()
    for (const [at, row] of rows.entries()) {
      const cells = [...row.cells].map((cell) => contentOf(cell, 2_000).replaceAll('|', '\\|'))
      this.#write(`| ${cells.join(' | ')} |\n`)
      if (at === 0) this.#write(`|${' --- |'.repeat(cells.length)}\n`)
    }
    this.#block()
  }
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
}
const escaped = (text: unknown) => String(text).replace(/[&<>"]/g, (one) => entities[one] ?? one)

export interface ExtractedText {
  readonly chunks: readonly (string | number)[]
  /** The approximate number of characters beyond those. */
  readonly rest: number
  readonly lastNumber: number
}

/** Extracts the content of the document, or of an element. */
export function extractText(
  options: ExtractLimits & NumberOptions,
  within: Element | undefined,
): ExtractedText {
  startWalk(options)
  const top = within ?? mainPart()
  const writer = new TextWriter(options, within !== undefined || top !== document.body)
  if (top) {
    learnGenerated(rootOf(top))
    const style = styleOf(top)
    writer.children(top, { style, host: top, hidden: style.visibility !== 'visible' })
  }
  const whole = top?.textContent ?? ''
  const rest = writer.stopped ? Math.max(0, whole.length - writer.chars) : 0
  return { chunks: writer.chunks, rest, lastNumber: lastNumber() }
}
