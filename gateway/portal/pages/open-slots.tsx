/** Who can give the approvals that are missing, and what to do if nobody can. */
import type { Implementers, SlotHolders } from '../../access/people/approvers.ts'
import { NoticeBox } from '../../html/parts.tsx'
import type { Visit } from '../visit.ts'
import { objectNameOf } from '../words/names.ts'
import { slotsWord, toWords } from '../words/words.ts'

export const namesOf = (visit: Visit, people: readonly { readonly id: string }[]): string =>
  [...new Set(people.map(({ id }) => objectNameOf(visit, id)))].join(', ') || 'nobody'

/** Facts for a `FactList`. */
export function openSlotFacts(visit: Visit, slots: readonly SlotHolders[]) {
  const all = slots.flatMap(({ cannot }) => cannot)
  const reasons = [...new Set(all.map(({ why }) => why))]
  return [
    slots.length > 0 && {
      term: 'Can approve it',
      is: (
        <ul>
          {slots.map(({ role, can }) => (
            <li>
              {toWords(role)}: {namesOf(visit, can)}
            </li>
          ))}
        </ul>
      ),
    },
    all.length > 0 && {
      term: 'Cannot approve it',
      is: (
        <ul>
          {reasons.map((reason) => (
            <li>
              {namesOf(
                visit,
                all.filter(({ why }) => why === reason).map(({ person }) => person),
              )}{' '}
              {reason}
            </li>
          ))}
        </ul>
      ),
    },
  ]
}

export const implementerFact = (visit: Visit, of: Implementers | undefined) =>
  of && { term: 'Can implement it', is: namesOf(visit, of.can) }

/** For those who wait for a decision that nobody can take. */
export const NobodyCan = ({
  visit,
  slots,
  implementers,
}: {
  visit: Visit
  slots: readonly SlotHolders[]
  implementers?: Implementers | undefined
}) => (
  <>
    {slots.map(({ role, count, can, advice }) =>
      advice === undefined ? (
        ''
      ) : (
        <NoticeBox tone="bad" title={`It needs ${slotsWord([{ role, count }])}`}>
          <p>
            {can.length === 0 ? 'Nobody can approve it' : `Only ${namesOf(visit, can)} can approve`}{' '}
            now. {advice}
          </p>
        </NoticeBox>
      ),
    )}
    {implementers?.advice === undefined ? (
      ''
    ) : (
      <NoticeBox tone="bad" title="Nobody can implement it">
        <p>{implementers.advice}</p>
      </NoticeBox>
    )}
  </>
)
