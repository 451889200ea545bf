/** The pages of the documentation, each rendered once. */
import type { Markup } from '../html/markup.ts'
import { GuidePage, HomePage, ReferencePage, type ReferenceReader } from './html/pages.tsx'
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
}

export function openPages(): DocsPages {
  const groups = navigation()
  const rendered = new Map<string, RenderedPage>()
  const show = (here: string, file: string, text: string): Markup => {
    const page = rendered.get(here) ?? renderMarkdown(text, file)
    rendered.set(here, page)
    return GuidePage({ page, groups, here })
  }
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
  }
}
