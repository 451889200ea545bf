/** The effects of an endpoint: it creates deliveries for the workers. */
import type { DeliveryId } from '../../../proto/access/ids.ts'
import type { EffectHandlers, OutcomeOf } from '../../../runtime/actor/actor-kind.ts'
import { pingDelivery } from '../../../runtime/webhooks/delivery/make.ts'
import { recoverDeliveries, replayDelivery } from '../../../runtime/webhooks/delivery/resend.ts'
import type { DeliveryStore } from '../../../runtime/webhooks/delivery/store.ts'
import type { EndpointContext, endpointMachine } from './machine.ts'

/** The effects of an endpoint: name → parameters. */
export type EndpointEffects = {
  readonly send_ping: {
    readonly purpose: 'verify' | 'test'
    readonly deliveryId: DeliveryId
    readonly eventType: string
    readonly atMs: number
  }
  readonly replay: {
    readonly sourceId: DeliveryId
    readonly deliveryId: DeliveryId
    readonly atMs: number
  }
  readonly recover: { readonly sinceMs: number; readonly untilMs: number; readonly atMs: number }
}
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
