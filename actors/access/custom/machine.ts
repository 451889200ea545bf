/** Custom access: a view in service or retired. Only completed changes write it. Pure. */
import { assign, setup } from 'xstate'
import type { ActorCommand } from '../../../proto/actor.ts'
import type { AccessState } from '../../../proto/access/common.ts'
import type { customActor, CustomInput, CustomView } from '../../../proto/access/changes/custom.ts'
import type { ChangeId, ClientId, CustomId } from '../../../proto/access/ids.ts'
import { accessLimits as limits } from '../../../proto/access/limits.ts'
import type { ActorContext, RuntimeEvent, Timestamped } from '../../../runtime/actor/actor-kind.ts'
import { changedBy, newState } from '../common/state.ts'

export interface CustomContext
  extends AccessState, ActorContext, Pick<CustomView, 'definition' | 'changes'> {
  readonly id: CustomId
  readonly tenant: ClientId
}

export type CustomEvent = Timestamped<ActorCommand<typeof customActor> | RuntimeEvent>

const withChange = ({ version, changes }: CustomContext, id: ChangeId): CustomView['changes'] =>
  [...changes, { id, version: version + 1 }].slice(-limits.changesKeptOnRecord)

const customSetup = setup({
  types: { context: {} as CustomContext, input: {} as CustomInput, events: {} as CustomEvent },
  actions: {
    write: assign(({ context, event }) => {
      if (event.type !== 'define' && event.type !== 'retire') return {}
      return {
        ...(event.type === 'define' && { definition: event.definition }),
        changes: withChange(context, event.changeId),
        ...changedBy(context, event),
      }
    }),
  },
})

export const customMachine = customSetup.createMachine({
  id: 'custom',
  context: ({ input }) => ({
    ...newState(input),
    id: input.id,
    tenant: input.tenant,
    definition: input.definition,
    changes: [{ id: input.changeId, version: 1 }],
    deadlines: {},
  }),
  initial: 'active',
  states: {
    active: {
      on: {
        define: { actions: 'write' },
        retire: { target: 'retired', actions: 'write' },
      },
    },
    retired: {
      on: { define: { target: 'active', actions: 'write' } },
    },
  },
})
