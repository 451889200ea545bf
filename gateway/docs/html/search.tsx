/** What was found in the documentation. */
import type { NavGroup } from '../navigation.ts'
import type { SearchHit } from '../search/search.ts'
import { DocsDocument, PageList } from './frame.tsx'

interface Props {
  readonly query: string
  readonly hits: readonly SearchHit[]
  readonly groups: readonly NavGroup[]
}

const kinds = {
  guide: 'Guide',
  inside: 'How it works',
  reference: 'Reference',
  setting: 'Setting',
} as const

export const SearchPage = ({ query, hits, groups }: Props) => (
  <DocsDocument
    title={query === '' ? 'Search' : `${query} – Search`}
    here="/docs/search"
    sheets={['/web/docs.css']}
    scripts={['/web/docs/docs.js']}
    query={query}
  >
    <div class="docs-columns">
      <PageList groups={groups} here="/docs/search" />
      <main id="main" tabindex={-1}>
        <h1>Search</h1>
        <p class="quiet" role="status">
          {summaryOf(query, hits.length)}
        </p>
        <ol class="docs-hits">
          {hits.map((hit) => (
            <li>
              <Hit {...hit} />
            </li>
          ))}
        </ol>
      </main>
      <div class="docs-toc"></div>
    </div>
  </DocsDocument>
)

function summaryOf(query: string, count: number): string {
  if (query === '') return 'Guides, fields of the reference, settings: type some words above.'
  if (count === 0) return `Nothing was found for “${query}”. Try fewer or other words.`
  return count === 1 ? `One place for “${query}”` : `${count} places for “${query}”`
}

const Hit = ({ kind, title, under, href, excerpt }: SearchHit) => (
  <>
    <a href={href}>{title}</a>
    <span class="where">
      {kinds[kind]}
      {under === title ? '' : `: ${under}`}
    </span>
    <p>{excerpt.map((part, n) => (n % 2 === 1 ? <mark>{part}</mark> : part))}</p>
  </>
)
