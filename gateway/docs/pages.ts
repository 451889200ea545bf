/** The pages of the documentation, each rendered once. */
import { setImmediate } from 'node:timers/promises'
import type { Markup } from '../html/markup.ts'
import { GuidePage, HomePage, ReferencePage, type ReferenceReader } from './html/pages.tsx'
import { openApi } from '../routing/openapi/document.ts'
import type { Route } from '../routing/route.ts'
import { SearchPage } from './html/search.tsx'
import { operationsOf, sectionsOf, settingPlaces, type FoundPlace } from './search/documents.ts'
import { openSearch, type DocsSearch } from './search/search.ts'
import { renderMarkdown, type RenderedPage } from './markdown.ts'
import { navigation } from './navigation.ts'
import { guideFile, guidesPath, insideFile, insidePath, read } from './repository-pages.ts'

/** A page is undefined if it does not exist. */
export interface DocsPages {
  home(): Markup
  reference(reader?: ReferenceReader): Markup
  guide(name: string): Markup | undefined
  inside(path: string): Markup | undefined
  search(query: string): Promise<Markup>
  /**
   * What operations are found by, beside their path and summary: descriptions, and names of fields.
   * Keys are for example `POST /v1/sessions`.
   */
  operationWords(): Readonly<Record<string, string>>
}

/** `routes` are those of the reference. */
export function openPages(routes: () => readonly Route[]): DocsPages {
  const groups = navigation()
  const rendered = new Map<string, RenderedPage>()
  const pageAt = (href: string): RenderedPage | undefined => {
    const known = rendered.get(href)
    const file = known ? undefined : fileAt(href)
    if (file === undefined) return known
    const page = renderMarkdown(read(file), file)
    rendered.set(href, page)
    return page
  }
  const show = (here: string): Markup | undefined => {
    const page = pageAt(here)
    return page && GuidePage({ page, groups, here })
  }
  /** The sections of the pages of the navigation; other requests are answered meanwhile. */
  const listed = async () => {
    const places: FoundPlace[] = []
    for (const { href } of groups.flatMap(({ links }) => links)) {
      places.push(...sectionsOf(pageAt(href)!, href, isGuide(href) ? 'guide' : 'inside'))
      await setImmediate()
    }
    return places
  }
  const operations = () => operationsOf(openApi(routes(), ''))
  const open = async () => openSearch([...(await listed()), ...operations(), ...settingPlaces()])
  let search: Promise<DocsSearch> | undefined
  let words: Readonly<Record<string, string>> | undefined
  return {
    home: () => HomePage({ groups }),
    reference: (reader) => ReferencePage({ reader }),
    guide: (name) => show(`${guidesPath}/${name}`),
    inside: (path) => show(`${insidePath}/${path}`),
    async search(query) {
      if (query === '') return SearchPage({ query, hits: [], groups })
      search ??= open()
      return SearchPage({ query, hits: (await search).find(query), groups })
    },
    operationWords: () =>
      (words ??= Object.fromEntries(operations().map(({ under, text }) => [under, text]))),
  }
}

const isGuide = (href: string): boolean => href.startsWith(`${guidesPath}/`)

/** The file of a guide, or of a page below `insidePath`. */
const fileAt = (href: string): string | undefined =>
  isGuide(href)
    ? guideFile(href.slice(guidesPath.length + 1))
    : insideFile(href.slice(insidePath.length + 1))
