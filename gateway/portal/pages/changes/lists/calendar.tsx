/** A month of windows: booked and requested ones, and collisions on the same target. */
import type { ChangeView } from '../../../../../proto/access/changes/change.ts'
import { NoticeBox, withQuery } from '../../../../html/parts.tsx'
import type { PageContent } from '../../../../html/page-content.ts'
import type { Visit } from '../../../visit.ts'
import { clientName } from '../../../words/names.ts'
import { dayText, dayWord, timeOfDay } from '../../../../html/times.ts'
import { plural } from '../../../../html/plural.ts'
import { collisionsWith, hasWindow, windowOf } from '../collisions.ts'
import { boardLaneOf } from './lanes.ts'
import { calendarMonthOf, type CalendarMonth } from './month.ts'
import { filteredChanges, changesLead, ChangeFilters, NewChange, ViewSwitch } from './filters.tsx'
import { targetNamesOf, targetKindWord, type TargetNames } from '../change/target.tsx'

const weekDays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']

interface Planned {
  readonly change: ChangeView
  readonly from: string
  readonly to: string
  readonly isClash: boolean
}

export async function showCalendar(visit: Visit): Promise<PageContent> {
  const today = dayText(visit.now, visit.zone)
  const month = calendarMonthOf(visit.asked('month'), today)
  const all = filteredChanges(visit).filter((change) => boardLaneOf(change).key !== 'closed')
  const planned = plannedIn(visit, all, month)
  const names = await targetNamesOf(
    visit,
    planned.filter(({ isClash }) => isClash).map(({ change }) => change),
  )
  const clashes = planned.filter(({ isClash }) => isClash).length
  return {
    title: 'Changes',
    lead: changesLead,
    actions: <NewChange visit={visit} />,
    body: (
      <div class="wide">
        <ViewSwitch visit={visit} />
        <ChangeFilters visit={visit} />
        <Months visit={visit} month={month} />
        {clashes === 0 ? (
          ''
        ) : (
          <NoticeBox
            tone="wait"
            title={`${plural(clashes, 'window')} with a conflict on the same target`}
          >
            <p>
              They are marked below. Only one change can book the target at a time; the others need
              another time.
            </p>
          </NoticeBox>
        )}
        <Days visit={visit} month={month} planned={planned} names={names} today={today} />
        {planned.length === 0 ? (
          <p class="quiet below">
            No change has a window in this month. A change gets a window when it is requested or
            scheduled.
          </p>
        ) : (
          <p class="quiet below">
            Times are in {visit.zone}. A dashed line marks a requested window that is not booked.
          </p>
        )}
      </div>
    ),
  }
}

function plannedIn(
  visit: Visit,
  all: readonly ChangeView[],
  month: CalendarMonth,
): readonly Planned[] {
  const first = month.weeks[0]![0]!
  const last = month.weeks.at(-1)!.at(-1)!
  return all
    .flatMap((change) => {
      const window = windowOf(change)
      if (!window) return []
      const from = dayText(window.startMs, visit.zone)
      const to = dayText(window.endMs - 1, visit.zone)
      if (to < first || from > last) return []
      return [{ change, from, to, isClash: collisionsWith(change, all).length > 0 }]
    })
    .sort((a, b) => windowOf(a.change)!.startMs - windowOf(b.change)!.startMs)
}

const Months = ({
  visit,
  month: { label, before, after, key },
}: {
  visit: Visit
  month: CalendarMonth
}) => {
  const to = (month: string | undefined) =>
    withQuery(visit.at('/changes/calendar'), visit.query, { month })
  const isNow = dayText(visit.now, visit.zone).startsWith(key)
  return (
    <div class="section-head months">
      <h2>{label}</h2>
      <nav class="actions" aria-label="Months">
        <a href={to(before)}>Previous month</a>
        {isNow ? '' : <a href={to(undefined)}>This month</a>}
        <a href={to(after)}>Next month</a>
      </nav>
    </div>
  )
}

interface DaysProps {
  readonly visit: Visit
  readonly month: CalendarMonth
  readonly planned: readonly Planned[]
  readonly names: TargetNames
  readonly today: string
}

const Days = ({ visit, month, planned, names, today }: DaysProps) => (
  <table class="calendar" role="table">
    <caption class="hidden">{`Windows of ${month.label}`}</caption>
    <thead role="rowgroup">
      <tr role="row">
        {weekDays.map((day) => (
          <th scope="col" role="columnheader">
            {day}
          </th>
        ))}
      </tr>
    </thead>
    <tbody role="rowgroup">
      {month.weeks.map((week) => (
        <tr role="row">
          {week.map((day) => (
            <Day {...{ visit, month, day, names, today }} planned={changesOnDay(planned, day)} />
          ))}
        </tr>
      ))}
    </tbody>
  </table>
)

const changesOnDay = (planned: readonly Planned[], day: string) =>
  planned.filter(({ from, to }) => from <= day && day <= to)

const shownPerDay = 4

const Day = ({
  visit,
  month,
  day,
  planned,
  names,
  today,
}: DaysProps & { readonly day: string }) => {
  const classes = [
    ...(day.startsWith(month.key) ? [] : ['is-other']),
    ...(day === today ? ['is-today'] : []),
    ...(planned.length === 0 ? ['is-empty'] : []),
  ]
  const more = planned.length - shownPerDay
  return (
    <td role="cell" class={classes.join(' ') || undefined}>
      <time datetime={day} aria-current={day === today ? 'date' : undefined}>
        <span class="hidden">{dayWord(Date.parse(day), 'UTC')}</span>
        <span class="day" aria-hidden="true">
          {String(Number(day.slice(8)))}
        </span>
        <span class="long-day" aria-hidden="true">
          {dayWord(Date.parse(day), 'UTC')}
        </span>
      </time>
      {planned.length === 0 ? (
        ''
      ) : (
        <>
          <Entries {...{ visit, day, names }} planned={planned.slice(0, shownPerDay)} />
          {more > 0 ? (
            <details>
              <summary>{`${more} more`}</summary>
              <Entries {...{ visit, day, names }} planned={planned.slice(shownPerDay)} />
            </details>
          ) : (
            ''
          )}
        </>
      )}
    </td>
  )
}

const Entries = ({
  planned,
  ...props
}: {
  visit: Visit
  day: string
  names: TargetNames
  planned: readonly Planned[]
}) => (
  <ul>
    {planned.map((one) => (
      <li>
        <Entry {...props} planned={one} />
      </li>
    ))}
  </ul>
)

const Entry = ({
  visit,
  planned: { change, from, isClash },
  day,
  names,
}: {
  visit: Visit
  planned: Planned
  day: string
  names: TargetNames
}) => {
  const window = windowOf(change)!
  const kind = isClash ? 'entry is-clash' : hasWindow(change) ? 'entry' : 'entry is-asked'
  const time = from === day ? timeOfDay(window.startMs, visit.zone) : 'continues'
  const asked = hasWindow(change) ? '' : ', requested'
  return (
    <a class={kind} href={visit.at(`/changes/${change.id}`)}>
      <span class="quiet">
        {time}
        {asked}
      </span>{' '}
      <bdi>{change.terms.title}</bdi>
      {isClash ? <strong class="clash"> Conflict on {targetKindWord(change, names)}</strong> : ''}
      {visit.isStaff ? <span class="quiet"> {clientName(visit, change.tenant)}</span> : ''}
    </a>
  )
}
