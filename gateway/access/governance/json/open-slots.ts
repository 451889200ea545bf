/** Who can give the approvals that are missing, as routes tell it. */
import { z } from 'zod'
import { slotRoles } from '../../../../proto/access/grants/review.ts'
import { platformTenant } from '../../../../proto/access/ids.ts'
import type { PersonView } from '../../../../proto/access/people/person.ts'
import { defined } from '../../../../proto/defined.ts'
import { callerTenantOf, type AccessCaller } from '../../../routing/auth/access-caller.ts'
import type { Implementers, SlotHolders } from '../../people/approvers.ts'

const who = z.object({
  id: z.string(),
  name: z.string().describe('Members see no names of staff.'),
  roles: z.array(z.string()),
})
const adviceJson = z.string().optional().describe('What to do, if too few people can.')

export const openSlotsJson = z
  .array(
    z.object({
      role: z.enum(slotRoles),
      count: z.int().describe('Approvals that are missing in this role.'),
      can: z.array(who),
      cannot: z
        .array(who.extend({ why: z.string() }))
        .describe('People with the role who cannot; members do not see which staff.'),
      advice: adviceJson,
    }),
  )
  .describe('Who can give each missing approval; empty unless it waits for reviews.')

export const implementersJson = z
  .object({ can: z.array(who), advice: adviceJson })
  .optional()
  .describe('Who may start the change, as far as its approvals are given.')

/** Programs are told nothing about people. */
export function openSlotsData(slots: readonly SlotHolders[], caller: AccessCaller) {
  if (caller.kind !== 'person') return []
  const own = callerTenantOf(caller)
  return slots.map(({ role, count, can, cannot, advice }) => ({
    ...{ role, count, can: can.map((one) => whoData(one, own)) },
    cannot: cannot
      .filter(({ person }) => own === undefined || person.tenant === own)
      .map(({ person, why }) => ({ ...whoData(person, own), why })),
    ...defined({ advice }),
  }))
}

export function implementersData(of: Implementers | undefined, caller: AccessCaller) {
  if (!of || caller.kind !== 'person') return undefined
  const own = callerTenantOf(caller)
  return { can: of.can.map((one) => whoData(one, own)), ...defined({ advice: of.advice }) }
}

const whoData = ({ id, name, roles, tenant }: PersonView, own: string | undefined) => ({
  id,
  name: own !== undefined && tenant === platformTenant ? 'Staff' : name,
  roles: [...roles],
})
