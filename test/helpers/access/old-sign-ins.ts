/** Makes sign-ins look old to gateways, so that a step-up is due. */
import { accessLimits } from '../../../proto/access/limits.ts'
import type { PersonView } from '../../../proto/access/people/person.ts'
import { decode, encode } from '../../../proto/codec.ts'
import { buckets } from '../../../proto/subjects.ts'
import type { ViewRecord } from '../../../runtime/actor/views.ts'
import type { Insider } from '../service/insider.ts'
import { until } from '../lib/until.ts'

/** As if the password had been given eleven minutes ago, in `sessions` sign-ins. */
export async function ageSignIns(
  { store }: Pick<Insider, 'store'>,
  { id, tenant }: { readonly id: string; readonly tenant: string },
  sessions: number,
): Promise<void> {
  const views = store.bucket(buckets.views)
  const key = `person.${tenant}.${id}`
  const entry = await until('the store shows all sign-ins', async () => {
    const found = await views.get(key)
    const known = found && decode<ViewRecord<PersonView>>(found.value).view.sessions.length
    return known === sessions && found
  })
  const record = decode<ViewRecord<PersonView>>(entry.value)
  const { view } = record
  const before = accessLimits.stepUpMs + 60_000
  const old = view.sessions.map((one) => ({ ...one, steppedUpAtMs: one.steppedUpAtMs - before }))
  const aged = { ...view, version: view.version + 1, sessions: old }
  await views.update(key, encode({ ...record, view: aged }), entry.revision)
}
