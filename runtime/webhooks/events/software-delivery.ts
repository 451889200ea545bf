import { becomes, comparing, movesFrom, on, recordTypes, updated } from './event-type.ts'

export const softwareDelivery = [
  ...recordTypes('projects', [
    on(
      'project.status_changed',
      'A project has another status.',
      (moment) => updated(moment) && moment.changed.includes('status'),
    ),
  ]),
  ...recordTypes('deployments', [
    on('deployment.started', 'A deployment began.', becomes('status', 'in_progress')),
    on('deployment.succeeded', 'A deployment succeeded.', becomes('status', 'succeeded')),
    on('deployment.failed', 'A deployment failed.', becomes('status', 'failed')),
    on('deployment.rolled_back', 'A deployment was rolled back.', becomes('status', 'rolled_back')),
  ]),
  ...recordTypes('domains', [
    comparing(
      on(
        'domain.verified',
        'A domain is verified.',
        movesFrom('status', ['pending_verification'], ['active', 'expiring']),
      ),
    ),
    on('domain.expiring', 'A domain expires soon.', becomes('status', 'expiring')),
    on('domain.expired', 'A domain has expired.', becomes('status', 'expired')),
  ]),
  ...recordTypes('monitoring', [
    on('monitoring.down', 'A monitor finds its target down.', becomes('status', 'down')),
    comparing(
      on(
        'monitoring.recovered',
        'A target that was down answers again.',
        movesFrom('status', ['down'], ['up', 'degraded']),
      ),
    ),
  ]),
]
