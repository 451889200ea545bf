import { isHtml } from '../facts.ts'
import {
  finalUrlOf,
  noSpots,
  ofFacts,
  oneSpot,
  readablePages,
  spotWhen,
  type PageRule,
  type SiteRule,
  type SiteSpot,
} from './rule.ts'
import type { AuditedPage, SeoState } from '../state.ts'

const titleChars = { least: 10, most: 65 }
const descriptionCharsMost = 165
const wordsLeast = 50

export const contentPageRules: readonly PageRule[] = [
  {
    id: 'title_missing',
    category: 'content',
    severity: 'high',
    title: 'Pages without a title',
    description: 'The title is the headline of a search result and of a tab.',
    recommendation: 'Give each page a <title> of its own.',
    check: ofFacts(({ title }) => spotWhen(title.every((text) => text === ''))),
  },
  {
    id: 'title_length',
    category: 'content',
    severity: 'low',
    title: 'Titles that are too short or too long',
    description: 'Search results show about 60 characters.',
    recommendation: `Say what the page is about in ${titleChars.least} to ${titleChars.most} characters.`,
    check: ofFacts(({ title: [text = ''] }) => {
      const isOff = text.length < titleChars.least || text.length > titleChars.most
      return spotWhen(
        text !== '' && isOff,
        `${text.length} characters: ${text}`.slice(0, 200),
        'title',
      )
    }),
  },
  {
    id: 'title_several',
    category: 'content',
    severity: 'medium',
    title: 'Several titles on one page',
    description: 'It is not defined which of them is shown.',
    recommendation: 'Keep one <title>.',
    check: ofFacts(({ title }) =>
      spotWhen(title.length > 1, title.join(' | ').slice(0, 200), 'title'),
    ),
  },
  {
    id: 'description_missing',
    category: 'content',
    severity: 'medium',
    title: 'Pages without a description',
    description: 'Search engines then show some text of the page in their results.',
    recommendation: 'Describe the page in one or two sentences: <meta name="description">.',
    check: ofFacts(({ description }) => spotWhen(description.every((text) => text === ''))),
  },
  {
    id: 'description_length',
    category: 'content',
    severity: 'low',
    title: 'Descriptions that are too long',
    description: 'Search results cut them off.',
    recommendation: `Keep it to ${descriptionCharsMost} characters.`,
    check: ofFacts(({ description: [text = ''] }) =>
      spotWhen(text.length > descriptionCharsMost, `${text.length} characters`),
    ),
  },
  {
    id: 'h1_missing',
    category: 'content',
    severity: 'medium',
    title: 'Pages without a main heading',
    description: 'People and screen readers look for one <h1> that names the page.',
    recommendation: 'Give the page one <h1>.',
    check: ofFacts(({ headings }) =>
      spotWhen(!headings.some(({ level, text }) => level === 1 && text !== '')),
    ),
  },
  {
    id: 'h1_several',
    category: 'content',
    severity: 'low',
    title: 'Several main headings',
    description: 'With several <h1>, none of them says what the page is about.',
    recommendation: 'Keep one <h1> and make the others <h2>.',
    check: ofFacts(({ headings }) => {
      const main = headings.filter(({ level }) => level === 1)
      return main.length > 1
        ? oneSpot(
            main
              .map(({ text }) => text)
              .join(' | ')
              .slice(0, 200),
            'h1',
          )
        : noSpots
    }),
  },
  {
    id: 'heading_skipped',
    category: 'content',
    severity: 'low',
    title: 'Skipped heading levels',
    description: 'Screen readers use the levels; a gap looks like missing text.',
    recommendation: 'Go down one level at a time.',
    check: ofFacts(({ headings }) => {
      const gap = headings.find(({ level }, i) => i > 0 && level > headings[i - 1]!.level + 1)
      return spotWhen(gap !== undefined, gap && `h${gap.level}: ${gap.text}`.slice(0, 200))
    }),
  },
  {
    id: 'content_thin',
    category: 'content',
    severity: 'low',
    title: 'Pages with hardly any text',
    description: 'There is little that such a page could be found by.',
    recommendation: 'Say more, merge the page into another, or keep it out of search results.',
    check: ofFacts((facts) =>
      spotWhen(isHtml(facts) && facts.words < wordsLeast, `${facts.words} words`),
    ),
  },
]

export const contentSiteRules: readonly SiteRule[] = [
  {
    id: 'title_duplicate',
    category: 'content',
    severity: 'medium',
    title: 'Pages with the same title',
    description: 'In search results they cannot be told apart.',
    recommendation: 'Give each page a title of its own.',
    check: (site) => duplicates(site, ({ title }) => title),
  },
  {
    id: 'description_duplicate',
    category: 'content',
    severity: 'low',
    title: 'Pages with the same description',
    description: 'The description does not say what is special about each page.',
    recommendation: 'Give each page a description of its own.',
    check: (site) => duplicates(site, ({ description }) => description),
  },
]

/** A page with another canonical URL is an intended copy. */
function duplicates(
  site: SeoState,
  digestOf: (page: AuditedPage) => string | undefined,
): readonly SiteSpot[] {
  const groups = new Map<string, Map<string, AuditedPage>>()
  for (const page of readablePages(site)) {
    const digest = digestOf(page)
    if (digest === undefined || page.canonical !== undefined || page.noindex) continue
    const group = groups.get(digest) ?? new Map<string, AuditedPage>()
    groups.set(digest, group.set(finalUrlOf(page), page))
  }
  return [...groups.values()]
    .filter(({ size }) => size > 1)
    .flatMap((group) => {
      const [first] = group.keys()
      return [...group.keys()].map((url) => ({ url, evidence: `the same as ${first}` }))
    })
}
