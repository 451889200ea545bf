/** The effects of an endpoint: it creates deliveries for the workers. */
import type { EffectHandlers, OutcomeOf } from '../../../runtime/actor/actor-kind.ts'
import { pingDelivery } from '../../../runtime/webhooks/delivery/make.ts'
import { recoverDeliveries, replayDelivery } from '../../../runtime/webhooks/delivery/resend.ts'
import type { DeliveryStore } from '../../../runtime/webhooks/delivery/store.ts'
import type { EndpointContext, endpointMachine, EndpointEffects } from './machine.ts'

type Handlers = EffectHandlers<EndpointEffects, EndpointContext, OutcomeOf<typeof endpointMachine>>

export interface EndpointEffectDeps {
  readonly deliveries: DeliveryStore
}

/** Ids of created deliveries are derived from their event, so a repeat finds them. */
export const endpointEffects = ({ deliveries }: EndpointEffectDeps): Handlers => ({
  async send_ping(params, { state }) {
    await deliveries.create(pingDelivery(state, params))
  },
  replay: (params, { state }) => replayDelivery(deliveries, state, params),
  recover: (params, { state, signal }) => recoverDeliveries(deliveries, state, params, signal),
})
