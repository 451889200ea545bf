/** Event types as a list and as form fields, with their descriptions from the catalogue. */
import { areaRules } from '../../../../../proto/access/areas/areas.ts'
import type { Permission } from '../../../../../proto/access/permissions.ts'
import type { EventType } from '../../../../../runtime/webhooks/events/event-type.ts'
import {
  eventTypes,
  isEventTypeNamed,
  pingEventType,
} from '../../../../../runtime/webhooks/events/registry.ts'
import { ChoiceField } from '../../../../html/fields.tsx'
import { Collapsible } from '../../../../html/form.tsx'
import { isAbout } from '../../../../html/forms/problem.ts'
import type { FormProblem } from '../../../../html/forms/problem.ts'
import { toWords } from '../../../words/words.ts'

/** The types that an endpoint can subscribe to. */
export const knownTypes = eventTypes.access.filter(({ type }) => type !== pingEventType)

interface Group {
  /** For example `contact.*`. */
  readonly name: string
  readonly label: string
  readonly types: readonly EventType[]
}

const labels: Readonly<Record<string, string>> = {
  access_request: 'Access requests',
  grant: 'Grants',
  change: 'Changes',
}

/** The types that a grant with these permissions may receive. */
function groupsFor(permissions: readonly Permission[]): readonly Group[] {
  const mayRead = (area: string) =>
    permissions.some((one) => one.area === area && one.actions.includes('read'))
  const groups = new Map<string, EventType[]>()
  for (const type of knownTypes) {
    if (type.area !== undefined && !mayRead(type.area)) continue
    const prefix = type.type.slice(0, type.type.indexOf('.'))
    groups.set(prefix, [...(groups.get(prefix) ?? []), type])
  }
  return [...groups].map(([prefix, types]) => {
    const area = types[0]?.area
    const label = area === undefined ? (labels[prefix] ?? toWords(prefix)) : areaRules[area].label
    return { name: `${prefix}.*`, label, types }
  })
}

export const eventsId = 'events-0'
/** With more groups than this, those without a selection are collapsed. */
const groupsOpen = 6

export const EventFields = ({
  permissions,
  chosen,
  problem,
}: {
  permissions: readonly Permission[]
  chosen: readonly string[]
  problem: FormProblem | undefined
}) => {
  const groups = groupsFor(permissions)
  return (
    <>
      {groups.map((group, i) => {
        const isChosen = [group.name, ...group.types.map(({ type }) => type)].some((name) =>
          chosen.includes(name),
        )
        const own = i === 0 ? problem : undefined
        const isWrong = isAbout(own, 'events')
        return (
          <Collapsible
            label={group.label}
            isOpen={isChosen || isWrong || groups.length <= groupsOpen}
          >
            <GroupFields group={group} at={i} chosen={chosen} problem={own} />
          </Collapsible>
        )
      })}
    </>
  )
}

const GroupFields = ({
  group: { name, label, types },
  at,
  chosen,
  problem,
}: {
  group: Group
  at: number
  chosen: readonly string[]
  problem: FormProblem | undefined
}) => (
  <ChoiceField
    name="events"
    id={`events-${at}`}
    label={`Events: ${label}`}
    kind="checkbox"
    problem={problem}
    chosen={chosen}
    choices={[
      { value: name, label: name, hint: 'All of these, including types added later.' },
      ...types.map(({ type, summary }) => ({ value: type, label: type, hint: summary })),
    ]}
  />
)

const shownMost = 2

/** With `isWhole`, shows all of them. */
export const EventNames = ({ of, isWhole }: { of: readonly string[]; isWhole?: boolean }) => {
  const shown = isWhole ? of : of.slice(0, shownMost)
  const more = of.length - shown.length
  return (
    <>
      {shown.map((name, i) => (
        <>
          {i === 0 ? '' : ', '}
          <code class="id whole">{name}</code>
        </>
      ))}
      {more > 0 ? ` and ${more} more` : ''}
    </>
  )
}

/** The types that a test can send: those of the endpoint, and the ping. */
export const testTypes = (events: readonly string[]): readonly string[] => [
  pingEventType,
  ...knownTypes
    .map(({ type }) => type)
    .filter((type) => events.some((one) => isEventTypeNamed(one, type))),
]
