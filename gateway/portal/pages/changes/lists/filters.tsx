/** The filters of board, table and calendar. They are in the URL and the same for all three. */
import { technicalAreas } from '../../../../../proto/access/areas/areas.ts'
import type { ChangeView } from '../../../../../proto/access/changes/change.ts'
import {
  changeKinds,
  changeRisks,
  customAccess,
} from '../../../../../proto/access/changes/change-terms.ts'
import { SelectField, type FieldChoice } from '../../../../html/fields.tsx'
import { FilterForm } from '../../../../html/filters.tsx'
import { hiddenField } from '../../../../html/form.tsx'
import { clientAsked } from '../../../html/client-filter.tsx'
import { ButtonLink, EmptyState, withQuery } from '../../../../html/parts.tsx'
import type { Visit } from '../../../visit.ts'
import type { Markup } from '../../../../html/markup.ts'
import { toWords } from '../../../words/words.ts'
import { boardLaneOf, boardLanes } from './lanes.ts'
import { mayPropose } from '../change/possible-actions.ts'
import { targetWord } from '../change/target.tsx'

const filters = ['client', 'state', 'kind', 'area', 'risk', 'target'] as const
type Filter = (typeof filters)[number]

type Reads = (change: ChangeView) => string | undefined
const reads: Readonly<Record<Exclude<Filter, 'client'>, Reads>> = {
  state: (change) => boardLaneOf(change).key,
  kind: ({ terms }) => terms.kind,
  area: ({ terms: { work } }) => (work.does === 'nothing' ? undefined : work.on),
  risk: ({ terms }) => terms.risk,
  target: ({ terms: { work } }) => ('id' in work ? work.id : undefined),
}

/** Newest first. `without` names filters that the page does not use. */
export function filteredChanges(
  visit: Visit,
  without: readonly Filter[] = [],
): readonly ChangeView[] {
  const client = clientAsked(visit)
  const asked = Object.entries(reads).filter(
    ([name]) => visit.asked(name) !== undefined && !without.some((one) => one === name),
  )
  return visit
    .list('change', client)
    .filter((change) => asked.every(([name, read]) => read(change) === visit.asked(name)))
}

export const hasFilters = (visit: Visit, without: readonly Filter[] = []): boolean =>
  filters.some((name) => !without.includes(name) && visit.asked(name) !== undefined)

interface FilterSelect {
  readonly name: Filter
  readonly label: string
  readonly choices: readonly FieldChoice[]
}

const selectsFor = (visit: Visit): readonly FilterSelect[] => [
  ...(visit.isStaff
    ? [{ name: 'client', label: 'Client', choices: clientChoices(visit) } as const]
    : []),
  {
    name: 'state',
    label: 'State',
    choices: boardLanes.map(({ key, label }) => ({ value: key, label })),
  },
  {
    name: 'kind',
    label: 'Kind',
    choices: changeKinds.map((kind) => ({ value: kind, label: toWords(kind) })),
  },
  {
    name: 'area',
    label: 'Area',
    choices: [...technicalAreas, customAccess].map((on) => ({
      value: on,
      label: targetWord(on as (typeof technicalAreas)[number]),
    })),
  },
  {
    name: 'risk',
    label: 'Risk',
    choices: changeRisks.map((risk) => ({ value: risk, label: toWords(risk) })),
  },
]

const clientChoices = (visit: Visit): readonly FieldChoice[] =>
  visit.list('client').map(({ id, name }) => ({ value: id, label: name }))

const any = { value: '', label: 'Any' }

/** `children` are additional fields of a page. */
export const ChangeFilters = ({
  visit,
  without = [],
  children,
}: {
  visit: Visit
  without?: readonly Filter[]
  children?: Markup
}) => {
  const selects = selectsFor(visit).filter(({ name }) => !without.includes(name))
  const target = visit.asked('target')
  const month = visit.asked('month')
  return (
    <FilterForm path={visit.facts.request.path} isFiltered={hasFilters(visit, without)}>
      {selects.map(({ name, label, choices }) => (
        <SelectField
          {...{ name, label, value: visit.asked(name) ?? '', choices: [any, ...choices] }}
        />
      ))}
      {target === undefined ? '' : hiddenField('target', target)}
      {month === undefined ? '' : hiddenField('month', month)}
      {children}
    </FilterForm>
  )
}

const views = [
  ['', 'Board'],
  ['/table', 'Table'],
  ['/calendar', 'Calendar'],
] as const

/** Links to the same changes as board, table or calendar. */
export const ViewSwitch = ({ visit }: { visit: Visit }) => {
  const { path } = visit.facts.request
  const kept = new URLSearchParams([...visit.query].filter(([name]) => name !== 'cursor'))
  return (
    <nav class="switch" aria-label="View">
      {views.map(([view, label]) => {
        const to = visit.at(`/changes${view}`)
        return (
          <a href={withQuery(to, kept, {})} aria-current={to === path ? 'page' : undefined}>
            {label}
          </a>
        )
      })}
    </nav>
  )
}

export const NewChange = ({ visit }: { visit: Visit }) => (
  <>
    <ButtonLink href={visit.at('/changes/templates')}>Templates</ButtonLink>
    {mayPropose(visit) ? (
      <ButtonLink href={visit.at('/changes/new')} kind="main">
        Request a change
      </ButtonLink>
    ) : (
      ''
    )}
  </>
)

export const changesLead =
  'Technical records and custom views change only through the changes that are proposed, reviewed and scheduled here.'

export const NoChanges = ({ visit, isFiltered }: { visit: Visit; isFiltered: boolean }) =>
  isFiltered ? (
    <EmptyState title="No changes match this filter.">
      <p>
        <a href={visit.facts.request.path}>Show all changes</a>
      </p>
    </EmptyState>
  ) : (
    <EmptyState title="There are no changes yet.">
      <p>
        To change a project, a deployment, a domain or a monitor, request it here. Others review it,
        and it is implemented in a window.{' '}
        {mayPropose(visit) ? <a href={visit.at('/changes/new')}>Request the first change</a> : ''}
      </p>
    </EmptyState>
  )
