/** Names the target of a change, if the reader may see it. */
import { areaRules } from '../../../../../proto/access/areas/areas.ts'
import type { ChangeView } from '../../../../../proto/access/changes/change.ts'
import {
  customAccess,
  type ChangedThing,
  type ChangeRisk,
  type ChangeTerms,
} from '../../../../../proto/access/changes/change-terms.ts'
import { ServiceError } from '../../../../../proto/errors.ts'
import { recordReadOf } from '../../../../../runtime/access/audit/sources/reads.ts'
import type { RecordJson } from '../../../../../runtime/access/records/record-json.ts'
import type { PortalAccess } from '../../../../access/gate/authorize.ts'
import { StatusMark } from '../../../html/status-mark.tsx'
import type { Visit } from '../../../visit.ts'
import { toWords } from '../../../words/words.ts'
import { titleOf } from '../../records/columns.ts'

/** By the id of the target. */
export type TargetNames = ReadonlyMap<string, string>

export const targetWord = (on: ChangedThing): string =>
  on === customAccess ? 'Custom view' : areaRules[on].label

/** A target, and the grant through which the reader sees it. */
export interface VisibleTarget {
  readonly record: RecordJson & { readonly version: number }
  readonly seenBy: PortalAccess
}

type Target = Pick<ChangeView, 'tenant'> & { readonly terms: Pick<ChangeTerms, 'work'> }

/** Undefined if none of the reader's portal grants shows it, or if it was deleted. */
export async function readVisibleTarget(
  visit: Visit,
  change: Target,
): Promise<VisibleTarget | undefined> {
  const { tenant, terms } = change
  const { work } = terms
  if (!('id' in work) || work.on === customAccess) return undefined
  const { on, id } = work
  for (const seenBy of visit.held(on, 'read')) {
    if (seenBy.access.clientId !== tenant) continue
    try {
      const { data } = await visit.deps.records.get(seenBy.access, on, id)
      visit.deps.reads.add(recordReadOf(seenBy.access, on, [id], visit.now))
      return { record: data, seenBy }
    } catch (error) {
      if (!(error instanceof ServiceError) || error.status !== 404) throw error
    }
  }
  return undefined
}

const namedMost = 100

/** The names of the first hundred targets, as far as the reader may see them. */
export async function targetNamesOf(
  visit: Visit,
  changes: readonly ChangeView[],
): Promise<TargetNames> {
  const targets = new Map(
    changes.flatMap((change) => {
      const { work } = change.terms
      return 'id' in work ? [[work.id, change] as const] : []
    }),
  )
  const found = await Promise.all(
    [...targets].slice(0, namedMost).map(async ([id, change]) => {
      const seen = await readVisibleTarget(visit, change)
      const name = seen ? titleOf(seen.record) : visit.find('custom', id)?.definition.title
      return name === undefined ? [] : [[id, name] as const]
    }),
  )
  return new Map(found.flat())
}

/**
 * For example `Monitoring: Shop` or `New in Deployments: 2.4.1`; the end of the id if the reader
 * may not see the name.
 */
export function targetKindWord({ terms: { work, kind } }: ChangeView, names: TargetNames): string {
  if (work.does === 'nothing') return toWords(kind)
  const on = targetWord(work.on)
  if (work.does === 'create') {
    const name = titleOf({ id: '', ...work.patch })
    return name === '' ? `New in ${on}` : `New in ${on}: ${name}`
  }
  const name = names.get(work.id) ?? `#${work.id.slice(-6)}`
  return work.does === 'delete' ? `Removal from ${on}: ${name}` : `${on}: ${name}`
}

const riskWords: Readonly<Record<ChangeRisk, string>> = {
  low: 'Low risk',
  medium: 'Medium risk',
  high: 'High risk',
}

/** Only higher risks are emphasised. */
export const RiskMark = ({ of }: { of: ChangeRisk }) => (
  <StatusMark
    of={of === 'high' ? 'critical' : of === 'medium' ? 'at_risk' : of}
    label={riskWords[of]}
  />
)

export const ChangeStatusMark = ({ of }: { of: ChangeView }) => (
  <>
    <StatusMark of={of.status} />
    {of.terms.type === 'emergency' ? (
      <>
        {' '}
        <StatusMark of="critical" label="Emergency" />
      </>
    ) : (
      ''
    )}
    {of.isLate ? (
      <>
        {' '}
        <StatusMark of="overdue" label="Past its window" />
      </>
    ) : (
      ''
    )}
  </>
)
