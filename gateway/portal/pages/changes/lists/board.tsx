/** The board: a column per state; changes that wait for the reader come first. */
import type { ChangeView } from '../../../../../proto/access/changes/change.ts'
import { withQuery } from '../../../../html/parts.tsx'
import type { PageContent } from '../../../../html/page-content.ts'
import type { Visit } from '../../../visit.ts'
import { clientName } from '../../../words/names.ts'
import { collisionsWith, windowOf } from '../collisions.ts'
import { boardLaneOf, boardLanes, type BoardLane } from './lanes.ts'
import {
  filteredChanges,
  hasFilters,
  changesLead,
  ChangeFilters,
  NewChange,
  NoChanges,
  ViewSwitch,
} from './filters.tsx'
import { nextStepOf } from '../change/possible-actions.ts'
import {
  ChangeStatusMark,
  targetNamesOf,
  RiskMark,
  targetKindWord,
  type TargetNames,
} from '../change/target.tsx'
import { WindowText } from '../change/window.tsx'

const cardsPerLane = 8

export async function showBoard(visit: Visit): Promise<PageContent> {
  const all = filteredChanges(visit, ['state'])
  const columns = boardLanes
    .filter(({ key }) => key !== 'closed')
    .map((lane) => ({ lane, changes: inOrder(visit, all, lane) }))
    .filter(({ lane, changes }) => lane.key !== 'failed' || changes.length > 0)
  const names = await targetNamesOf(
    visit,
    columns.flatMap(({ changes }) => changes.slice(0, cardsPerLane)),
  )
  return {
    title: 'Changes',
    lead: changesLead,
    actions: <NewChange visit={visit} />,
    body: (
      <div class="wide">
        <ViewSwitch visit={visit} />
        {all.length > 0 || hasFilters(visit, ['state']) ? (
          <ChangeFilters visit={visit} without={['state']} />
        ) : (
          ''
        )}
        {all.length === 0 ? (
          <NoChanges visit={visit} isFiltered={hasFilters(visit, ['state'])} />
        ) : (
          <div class="board" role="region" aria-label="Changes by state" tabindex={0}>
            {columns.map(({ lane, changes }) => (
              <Column visit={visit} lane={lane} changes={changes} all={all} names={names} />
            ))}
          </div>
        )}
        <Closed
          visit={visit}
          count={all.filter((one) => boardLaneOf(one).key === 'closed').length}
        />
      </div>
    ),
  }
}

/** First changes that wait for the reader, then by the next window, then the newest. */
function inOrder(visit: Visit, all: readonly ChangeView[], lane: BoardLane): readonly ChangeView[] {
  const rank = (change: ChangeView) => (nextStepOf(visit, change)?.isYours ? 0 : 1)
  const start = (change: ChangeView) => windowOf(change)?.startMs ?? Infinity
  const isPlanned = lane.key === 'scheduled' || lane.key === 'progress'
  return all
    .filter((change) => boardLaneOf(change) === lane)
    .sort((a, b) => {
      const first = rank(a) - rank(b) || (isPlanned ? start(a) - start(b) : 0)
      return first || b.updatedAtMs - a.updatedAtMs
    })
}

const tableOf = (visit: Visit, lane: string) =>
  withQuery(visit.at('/changes/table'), visit.query, { state: lane })

const Closed = ({ visit, count }: { visit: Visit; count: number }) =>
  count === 0 ? (
    <></>
  ) : (
    <p class="below">
      <a href={tableOf(visit, 'closed')}>{count} closed</a>{' '}
      <span class="quiet">(rejected, cancelled or rolled back)</span>
    </p>
  )

interface ColumnProps {
  readonly visit: Visit
  readonly lane: BoardLane
  readonly changes: readonly ChangeView[]
  readonly all: readonly ChangeView[]
  readonly names: TargetNames
}

const Column = ({ visit, lane, changes, all, names }: ColumnProps) => {
  const more = changes.length - cardsPerLane
  return (
    <section class={changes.length === 0 ? 'lane is-empty' : 'lane'} aria-label={lane.label}>
      <h2>
        {lane.label} <span class="quiet">{changes.length}</span>
      </h2>
      {changes.length === 0 ? (
        <p class="quiet">None</p>
      ) : (
        <ul>
          {changes.slice(0, cardsPerLane).map((change) => (
            <li class="change">
              <Card visit={visit} change={change} all={all} names={names} />
            </li>
          ))}
        </ul>
      )}
      {more > 0 ? <a href={tableOf(visit, lane.key)}>{`${more} more`}</a> : ''}
    </section>
  )
}

interface CardProps {
  readonly visit: Visit
  readonly change: ChangeView
  readonly all: readonly ChangeView[]
  readonly names: TargetNames
}

const Card = ({ visit, change, all, names }: CardProps) => {
  const { id, terms, tenant, status } = change
  const next = nextStepOf(visit, change)
  const window = windowOf(change)
  // The column's title already names most states.
  const isSaid = boardLaneOf(change).statuses[0] === status && terms.type !== 'emergency'
  return (
    <>
      <h3>
        <a href={visit.at(`/changes/${id}`)}>
          <bdi>{terms.title}</bdi>
        </a>
      </h3>
      <p class="quiet">
        <bdi>{targetKindWord(change, names)}</bdi>
      </p>
      {visit.isStaff ? <p class="quiet">{clientName(visit, tenant)}</p> : ''}
      <p class="marks">
        <RiskMark of={terms.risk} />
        {isSaid && !change.isLate ? '' : <ChangeStatusMark of={change} />}
        {terms.type === 'standard' ? <span class="quiet">Standard</span> : ''}
      </p>
      {window === undefined ? (
        ''
      ) : (
        <p class="when">
          <WindowText visit={visit} of={window} isBooked={change.window !== null} />
          {collisionsWith(change, all).length > 0 ? <strong class="clash"> Conflict</strong> : ''}
        </p>
      )}
      {next === undefined ? (
        ''
      ) : (
        <p class={next.isYours ? 'next is-yours' : 'next'}>
          {next.isYours ? <strong>Your turn: </strong> : ''}
          {next.text}
        </p>
      )}
    </>
  )
}
