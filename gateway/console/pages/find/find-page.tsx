/** What was found, as a page; a script shows the same below the field while somebody types. */
import type { PageContent } from '../../../html/page-content.ts'
import { EmptyState, StateMark } from '../../../html/parts.tsx'
import { plural } from '../../../html/plural.ts'
import { consoleLimits } from '../../limits.ts'
import type { ConsoleSection } from '../../page.ts'
import type { ConsoleVisit } from '../../visit.ts'
import { findAll, type Hit, type HitGroup } from './found.ts'

export const findSection: ConsoleSection = {
  pages: [{ path: '/find', show: showFound }],
}

async function showFound(visit: ConsoleVisit): Promise<PageContent> {
  const text = (visit.asked('q') ?? '').slice(0, consoleLimits.searchChars)
  const groups = await findAll(visit, text)
  return {
    title: 'Find',
    lead: text === '' ? 'Sessions, tasks, keys and pages: type some words above.' : undefined,
    body: (
      <div id="hits">
        {text === '' ? '' : <p role="status">{summaryOf(groups, text)}</p>}
        {groups.length === 0 ? <NothingFound /> : groups.map((group) => <Group {...group} />)}
        {text === '' ? '' : <Group {...inDocumentation(text)} />}
      </div>
    ),
  }
}

function summaryOf(groups: readonly HitGroup[], text: string): string {
  const count = groups.reduce((sum, { hits }) => sum + hits.length, 0)
  const isCut = groups.some(({ more }) => more !== undefined)
  return `${isCut ? 'The first ' : ''}${plural(count, 'place')} for “${text}”`
}

const NothingFound = () => (
  <EmptyState title="Nothing was found">
    <p>
      Sessions are found by ID, tag, key, host, state or first URL; tasks by their goal too; keys by
      name, tenant or ID.
    </p>
  </EmptyState>
)

const inDocumentation = (text: string): HitGroup => ({
  label: 'Documentation',
  hits: [{ href: `/docs/search?q=${encodeURIComponent(text)}`, name: `Search for “${text}”` }],
})

const Group = ({ label, hits, more }: HitGroup) => (
  <section class="hits">
    <h2>{label}</h2>
    <ul>
      {[...hits, ...(more ? [more] : [])].map((hit) => (
        <li>
          <HitLink {...hit} />
        </li>
      ))}
    </ul>
  </section>
)

const HitLink = ({ href, name, about, state }: Hit) => (
  <a href={href}>
    <b>{name}</b>
    {about === undefined ? '' : <span class="quiet">{about}</span>}
    {state === undefined ? '' : <StateMark tone={state.tone}>{state.label}</StateMark>}
  </a>
)
