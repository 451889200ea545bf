/** All event types. A group is one file in this folder and one line here. */
import type { HookSurface } from '../../../proto/access/delivery.ts'
import { automation, workflowRuns } from './automation.ts'
import { changes } from './changes.ts'
import { clientContext, overdue } from './client-context.ts'
import type { ActorEventType, EventType, RecordEventType } from './event-type.ts'
import { governance } from './governance.ts'
import { marketingWork } from './marketing-work.ts'
import { sessionEvents, taskEvents } from './service.ts'
import { softwareDelivery } from './software-delivery.ts'

export const pingType = 'webhook.ping'
const ping: EventType = {
  type: pingType,
  summary: 'Asks an endpoint for a response; any 2xx proves its ownership.',
}

/** Event types derived from changes of records. */
export const recordEvents: readonly RecordEventType[] = [
  ...clientContext,
  ...marketingWork,
  ...softwareDelivery,
  ...automation,
]

/** Event types derived from the logs of actors. */
export const actorEvents: Readonly<Record<HookSurface, readonly ActorEventType[]>> = {
  access: [...governance, ...changes, ...workflowRuns],
  service: sessionEvents,
}

export const eventTypes: Readonly<Record<HookSurface, readonly EventType[]>> = {
  access: [ping, ...recordEvents, overdue, ...governance, ...changes],
  service: [ping, ...sessionEvents, ...taskEvents],
}

/** The types that a subscription selects: one, or all with a prefix such as `contact.*`. */
export function typesNamed(surface: HookSurface, name: string): readonly EventType[] {
  return eventTypes[surface].filter((one) => one.type !== pingType && isNamed(name, one.type))
}

export const isNamed = (name: string, type: string): boolean =>
  name.endsWith('.*') ? type.startsWith(name.slice(0, -1)) : name === type

export const typeOf = (surface: HookSurface, type: string): EventType | undefined =>
  eventTypes[surface].find((one) => one.type === type)
