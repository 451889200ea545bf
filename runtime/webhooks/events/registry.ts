/** All event types. A group is one file in this folder and one line here. */
import type { WebhookSurface } from '../../../proto/access/webhooks/delivery.ts'
import { automationEvents, workflowRunEvents } from './automation.ts'
import { changeEvents } from './changes.ts'
import { clientContextEvents, taskOverdueEvent } from './client-context.ts'
import type { ActorEventType, EventType, RecordEventType } from './event-type.ts'
import { governanceEvents } from './governance.ts'
import { marketingWorkEvents } from './marketing-work.ts'
import { sessionEvents, taskEvents } from './service.ts'
import { softwareDeliveryEvents } from './software-delivery.ts'

export const pingEventType = 'webhook.ping'
const ping: EventType = {
  type: pingEventType,
  summary: 'Asks an endpoint for a response; any 2xx proves its ownership.',
}

/** Event types derived from changes of records. */
export const recordEvents: readonly RecordEventType[] = [
  ...clientContextEvents,
  ...marketingWorkEvents,
  ...softwareDeliveryEvents,
  ...automationEvents,
]

/** Event types derived from the logs of actors. */
export const actorEvents: Readonly<Record<WebhookSurface, readonly ActorEventType[]>> = {
  access: [...governanceEvents, ...changeEvents, ...workflowRunEvents],
  service: sessionEvents,
}

export const eventTypes: Readonly<Record<WebhookSurface, readonly EventType[]>> = {
  access: [ping, ...recordEvents, taskOverdueEvent, ...governanceEvents, ...changeEvents],
  service: [ping, ...sessionEvents, ...taskEvents],
}

/** The types that a subscription selects: one, or all with a prefix such as `contact.*`. */
export function eventTypesNamed(surface: WebhookSurface, name: string): readonly EventType[] {
  return eventTypes[surface].filter(
    (one) => one.type !== pingEventType && isEventTypeNamed(name, one.type),
  )
}

export const isEventTypeNamed = (name: string, type: string): boolean =>
  name.endsWith('.*') ? type.startsWith(name.slice(0, -1)) : name === type

export const eventTypeOf = (surface: WebhookSurface, type: string): EventType | undefined =>
  eventTypes[surface].find((one) => one.type === type)
