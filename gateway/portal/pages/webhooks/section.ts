/** Webhooks: endpoints, their health, and deliveries. */
import { peopleRule } from '../../../routing/auth/access-rule.ts'
import { bothSurfaces, type PortalSection } from '../../page.ts'
import {
  changeEndpointState,
  recoverDeliveriesOfEndpoint,
  removeEndpoint,
  sendPing,
  sendTest,
} from './endpoint/actions.ts'
import { replayOneDelivery, showDelivery } from './deliveries/delivery.tsx'
import { showDeliveries } from './deliveries/deliveries.tsx'
import { saveEndpoint, showEndpointEdit } from './endpoint/edit.tsx'
import { showEndpoint } from './endpoint/endpoint.tsx'
import { showEndpoints } from './list.tsx'
import { makeEndpoint, showNewEndpoint } from './endpoint/new.tsx'
import { rotateSecret } from './endpoint/secrets.tsx'

const common = { in: bothSurfaces, who: peopleRule } as const
const ofEndpoint = { ...common, again: showEndpoint } as const

export const webhooksSection: PortalSection = {
  group: 'Access',
  nav: [{ ...common, label: 'Webhooks', path: '/webhooks' }],
  pages: [
    { ...common, path: '/webhooks', show: showEndpoints },
    { ...common, path: '/webhooks/new', show: showNewEndpoint, submit: makeEndpoint },
    { ...common, path: '/webhooks/deliveries', show: showDeliveries },
    { ...common, path: '/webhooks/deliveries/{id}', show: showDelivery },
    {
      ...common,
      path: '/webhooks/deliveries/{id}/replay',
      submit: replayOneDelivery,
      again: showDelivery,
    },
    { ...common, path: '/webhooks/{id}', show: showEndpoint },
    { ...common, path: '/webhooks/{id}/edit', show: showEndpointEdit, submit: saveEndpoint },
    { ...ofEndpoint, path: '/webhooks/{id}/verify', submit: sendPing },
    { ...ofEndpoint, path: '/webhooks/{id}/test', submit: sendTest },
    { ...ofEndpoint, path: '/webhooks/{id}/disable', submit: changeEndpointState },
    { ...ofEndpoint, path: '/webhooks/{id}/enable', submit: changeEndpointState },
    { ...ofEndpoint, path: '/webhooks/{id}/rotate', submit: rotateSecret },
    { ...ofEndpoint, path: '/webhooks/{id}/recover', submit: recoverDeliveriesOfEndpoint },
    { ...ofEndpoint, path: '/webhooks/{id}/remove', submit: removeEndpoint },
  ],
}
