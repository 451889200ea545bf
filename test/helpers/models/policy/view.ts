/**
 * What a model is shown, and all that the policy knows: the parts of the prompt by their headings,
 * and the page between its marks. It has no knowledge of the fixtures.
 */
import type { ChatRequest } from '../request.ts'

/** An element of the page with a ref: `e4 button "Delete" disabled`. */
export interface Thing {
  readonly ref: string
  /** The text after the ref, up to the next ref of its line. */
  readonly says: string
}

export interface TabLine {
  readonly id: string
  readonly url: string
  readonly title: string
  readonly selected: boolean
}

const sections = ['Goal', 'Rules of this task', 'So far', 'Notices', 'Page'] as const
type Section = (typeof sections)[number]

export class View {
  readonly goal: string
  readonly soFar: string
  readonly notices: string
  readonly url: string
  readonly title: string
  readonly tabs: readonly TabLine[]
  /** The text between the page's marks. */
  readonly page: string
  readonly things: readonly Thing[]
  readonly tools: ReadonlySet<string>

  constructor({ user, tools }: Pick<ChatRequest, 'user' | 'tools'>) {
    const parts = partsOf(user)
    this.goal = parts.Goal
    this.soFar = parts['So far']
    this.notices = parts.Notices
    const [head, page] = splitPage(parts.Page)
    this.url = /^url: (.*)$/m.exec(head)?.[1] ?? ''
    this.title = /^title: (.*)$/m.exec(head)?.[1] ?? ''
    this.tabs = tabsOf(head)
    this.page = page
    this.things = thingsOf(page)
    this.tools = new Set(tools.map(({ name }) => name))
  }

  /** The first element whose text begins like this: `button "Save"`. */
  thing(begins: string): Thing | undefined {
    return this.things.find(({ says }) => says.startsWith(begins))
  }
}

/** Headings count only outside of pages, because a page may contain any text. */
function partsOf(text: string): Record<Section, string> {
  const parts: Record<Section, string> = {
    Goal: '',
    'Rules of this task': '',
    'So far': '',
    Notices: '',
    Page: '',
  }
  let section: Section = 'Goal'
  let mark: string | undefined
  for (const line of text.split('\n')) {
    const heading = mark === undefined ? sections.find((name) => line === `# ${name}`) : undefined
    if (heading) {
      section = heading
      continue
    }
    mark ??= /^<<<page-(\w+)/.exec(line)?.[1]
    parts[section] += `${line}\n`
    if (mark !== undefined && line === `page-${mark}>>>`) mark = undefined
  }
  return parts
}

/** Address, title and tabs; then, after an empty line, the page. */
function splitPage(part: string): readonly [string, string] {
  const [, inside = ''] = /^<<<page-\w+\n(.*?)^page-\w+>>>$/ms.exec(part) ?? []
  const end = inside.indexOf('\n\n')
  return end === -1 ? [inside, ''] : [inside.slice(0, end), inside.slice(end + 2)]
}

function tabsOf(head: string): TabLine[] {
  return [...head.matchAll(/^- (\*?)(\S+) (\S+) "(.*)"$/gm)].map(([, mark, id, url, title]) => ({
    id: id!,
    url: url!,
    title: title!,
    selected: mark === '*',
  }))
}

function thingsOf(page: string): Thing[] {
  return page.split('\n').flatMap((line) =>
    [...line.matchAll(/\b(e\d+) ([a-z].*?)(?= \|? ?e\d+ [a-z]|$)/g)].map(([, ref, says]) => {
      return { ref: ref!, says: says! }
    }),
  )
}
