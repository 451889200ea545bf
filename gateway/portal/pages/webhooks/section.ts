/** Webhooks: endpoints, their health, and deliveries. */
import { people } from '../../../access/rule.ts'
import { everywhere, type Section } from '../../page.ts'
import { changeStanding, recover, removeEndpoint, sendPing, sendTest } from './acts.ts'
import { replay, showDelivery } from './delivery.tsx'
import { showDeliveries } from './deliveries.tsx'
import { saveEndpoint, showEdit } from './edit.tsx'
import { showEndpoint } from './endpoint.tsx'
import { showEndpoints } from './list.tsx'
import { makeEndpoint, showNew } from './new.tsx'
import { rotateSecret } from './secrets.tsx'

const common = { in: everywhere, who: people } as const
const ofEndpoint = { ...common, again: showEndpoint } as const

export const webhooks: Section = {
  group: 'Access',
  nav: [{ ...common, label: 'Webhooks', path: '/webhooks' }],
  pages: [
    { ...common, path: '/webhooks', show: showEndpoints },
    { ...common, path: '/webhooks/new', show: showNew, submit: makeEndpoint },
    { ...common, path: '/webhooks/deliveries', show: showDeliveries },
    { ...common, path: '/webhooks/deliveries/{id}', show: showDelivery },
    {
      ...common,
      path: '/webhooks/deliveries/{id}/replay',
      submit: replay,
      again: showDelivery,
    },
    { ...common, path: '/webhooks/{id}', show: showEndpoint },
    { ...common, path: '/webhooks/{id}/edit', show: showEdit, submit: saveEndpoint },
    { ...ofEndpoint, path: '/webhooks/{id}/verify', submit: sendPing },
    { ...ofEndpoint, path: '/webhooks/{id}/test', submit: sendTest },
    { ...ofEndpoint, path: '/webhooks/{id}/disable', submit: changeStanding },
    { ...ofEndpoint, path: '/webhooks/{id}/enable', submit: changeStanding },
    { ...ofEndpoint, path: '/webhooks/{id}/rotate', submit: rotateSecret },
    { ...ofEndpoint, path: '/webhooks/{id}/recover', submit: recover },
    { ...ofEndpoint, path: '/webhooks/{id}/remove', submit: removeEndpoint },
  ],
}
