/** Finds places of the documentation by words, with their beginnings and small mistakes. */
import MiniSearch, { type SearchResult } from 'minisearch'
import type { FoundPlace } from './documents.ts'

export interface SearchHit extends Omit<FoundPlace, 'text'> {
  /** A piece of the text around the first word, in parts; every second one is a word that was found. */
  readonly excerpt: readonly string[]
}

export interface DocsSearch {
  /** The best first. */
  find(query: string): readonly SearchHit[]
}

const hitsMost = 30
const charsBefore = 70
const charsAfter = 130

/** Guides answer questions, READMEs tell how it is made. */
const weights = { guide: 1.5, reference: 1, setting: 1, inside: 0.5 } as const

/** Other requests are answered meanwhile. */
export async function openSearch(places: readonly FoundPlace[]): Promise<DocsSearch> {
  const index = new MiniSearch<FoundPlace & { readonly id: number }>({
    fields: ['title', 'under', 'text'],
    tokenize: (text) => text.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== ''),
    searchOptions: {
      boost: { title: 4, under: 2 },
      prefix: true,
      fuzzy: (term) => (term.length > 4 ? 0.2 : false),
      boostDocument: (id) => weights[places[id as number]!.kind],
    },
  })
  await index.addAllAsync(places.map((place, id) => ({ ...place, id })))
  return {
    find(query) {
      const all = index.search(query, { combineWith: 'AND' })
      const some = all.length > 0 ? all : index.search(query)
      return some.slice(0, hitsMost).map((result) => hitOf(places[result.id as number]!, result))
    },
  }
}

function hitOf({ text, ...place }: FoundPlace, { terms }: SearchResult): SearchHit {
  return { ...place, excerpt: excerptOf(text, terms) }
}

function excerptOf(text: string, terms: readonly string[]): readonly string[] {
  const pattern = new RegExp(`(${terms.map(escapeRegExp).join('|')})`, 'giu')
  const at = Math.max(0, text.search(pattern))
  const from = at <= charsBefore ? 0 : text.indexOf(' ', at - charsBefore) + 1
  const end = at + charsAfter
  const to = end >= text.length ? text.length : text.lastIndexOf(' ', end)
  const piece = `${from > 0 ? '… ' : ''}${text.slice(from, to)}${to < text.length ? ' …' : ''}`
  return piece.split(pattern)
}

const escapeRegExp = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
