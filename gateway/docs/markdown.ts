/** Markdown as HTML, with anchors, links between pages and coloured code. */
import { Marked, type Tokens } from 'marked'
import { highlighted } from './highlight.ts'
import { textOfHtml } from './html-text.ts'
import { pageOf, pictureOf } from './repository-pages.ts'

export interface Heading {
  readonly id: string
  readonly text: string
  readonly depth: number
}

export interface RenderedPage {
  /** The text of the first heading, which is not part of `html`. */
  readonly title: string
  readonly html: string
  readonly headings: readonly Heading[]
}

/**
 * HTML in the Markdown is kept unescaped, because the Markdown is this repository's own. `file` is
 * its path, to which relative links refer.
 */
export function renderMarkdown(markdown: string, file: string): RenderedPage {
  const headings: Heading[] = []
  const ids = new Set<string>()
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const text = textOfHtml(this.parser.parseInline(tokens))
        const id = uniqueId(ids, slugOf(text))
        headings.push({ id, text, depth })
        if (depth === 1 && headings.length === 1) return ''
        const inner = this.parser.parseInline(tokens)
        const label = escapeHtml(`Link to “${text}”`)
        return (
          `<h${depth} id="${id}">${inner} ` +
          `<a class="anchor" href="#${id}" aria-label="${label}">#</a></h${depth}>\n`
        )
      },
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens)
        const page = pageOf(file, href)
        if (page === undefined) return text
        const outside = /^https?:/.test(page) ? ' rel="noopener"' : ''
        return `<a href="${escapeHtml(page)}"${outside}>${text}</a>`
      },
      image({ href, text }) {
        const picture = pictureOf(file, href)
        if (picture === undefined) return `<em>${escapeHtml(text)}</em>`
        return `<img src="${escapeHtml(picture)}" alt="${escapeHtml(text)}" loading="lazy">`
      },
      code: codeBlock,
      table(token) {
        const html = tableOf(token, (cell) => this.parser.parseInline(cell.tokens))
        return `<div class="wide" tabindex="0">${html}</div>\n`
      },
    },
  })
  const html = marked.parse(markdown, { async: false })
  return { title: headings[0]?.text ?? 'Troupe', html, headings: headings.slice(1) }
}

/** The same anchors as GitHub's. */
const slugOf = (text: string): string =>
  text
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\- _]/gu, '')
    .replaceAll(' ', '-')

function uniqueId(ids: Set<string>, slug: string): string {
  let id = slug
  for (let n = 1; ids.has(id); n++) id = `${slug}-${n}`
  ids.add(id)
  return id
}

/**
 * The first word after the fence is the language; the second word `run` marks blocks that the tests
 * run.
 */
function codeBlock({ text, lang = '' }: Tokens.Code): string {
  const [name = ''] = lang.split(' ')
  const html = highlighted(text, name) ?? escapeHtml(text)
  const label = name === '' ? 'Text' : name
  return `<pre tabindex="0" data-language="${escapeHtml(label)}"><code>${html}</code></pre>\n`
}

function tableOf(
  { header, rows }: Tokens.Table,
  inline: (cell: Tokens.TableCell) => string,
): string {
  const row = (cells: readonly Tokens.TableCell[], tag: 'th' | 'td') =>
    `<tr>${cells.map((cell) => cellOf(inline(cell), tag)).join('')}</tr>`
  const body = rows.map((cells) => row(cells, 'td')).join('')
  return `<table><thead>${row(header, 'th')}</thead><tbody>${body}</tbody></table>`
}

/** An empty heading cell is rendered as an ordinary cell. */
function cellOf(html: string, tag: 'th' | 'td'): string {
  if (tag === 'td' || html === '') return `<td>${html}</td>`
  return `<th scope="col">${html}</th>`
}

const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
