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
import {
  guidesFolder,
  guidesPath,
  insideFile,
  insidePath,
  read,
  readGuide,
} from './repository-pages.ts'

/** A page is undefined if it does not exist. */
export interface DocsPages {
  home(): Markup
  reference(reader?: ReferenceReader): Markup
  guide(name: string): Markup | undefined
  inside(path: string): Markup | undefined
  search(query: string): Promise<Markup>
}

/** `routes` are those of the reference. */
export function openPages(routes: () => readonly Route[]): DocsPages {
  const groups = navigation()
  const rendered = new Map<string, RenderedPage>()
  const pageOf = (here: string, file: string, text: string): RenderedPage => {
    const page = rendered.get(here) ?? renderMarkdown(text, file)
    rendered.set(here, page)
    return page
  }
  const show = (here: string, file: string, text: string): Markup =>
    GuidePage({ page: pageOf(here, file, text), groups, here })
  /** The sections of the pages of the navigation; other requests are answered meanwhile. */
  const listed = async () => {
    const places: FoundPlace[] = []
    for (const { href } of groups.flatMap(({ links }) => links)) {
      const isGuide = href.startsWith(guidesPath)
      const name = href.slice((isGuide ? guidesPath : insidePath).length + 1)
      const file = isGuide ? `${guidesFolder}/${name}.md` : insideFile(name)!
      const page = pageOf(href, file, read(file))
      places.push(...sectionsOf(page, href, isGuide ? 'guide' : 'inside'))
      await setImmediate()
    }
    return places
  }
  const open = async () =>
    openSearch([...(await listed()), ...operationsOf(openApi(routes(), '')), ...settingPlaces()])
  let search: Promise<DocsSearch> | undefined
  return {
    home: () => HomePage({ groups }),
    reference: (reader) => ReferencePage({ reader }),
    guide(name) {
      const text = readGuide(name)
      if (text === undefined) return undefined
      return show(`${guidesPath}/${name}`, `${guidesFolder}/${name}.md`, text)
    },
    inside(path) {
      const file = insideFile(path)
      return file === undefined ? undefined : show(`${insidePath}/${path}`, file, read(file))
    },
    async search(query) {
      search ??= open()
      const hits = query === '' ? [] : (await search).find(query)
      return SearchPage({ query, hits, groups })
    },
  }
}
