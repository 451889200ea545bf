import {
  onFieldValue,
  withPrevious,
  onFieldChange,
  recordRule,
  recordTypes,
  onUpdate,
} from './event-type.ts'

export const softwareDeliveryEvents = [
  ...recordTypes('projects', [
    recordRule(
      'project.status_changed',
      'The status of a project changed.',
      (moment) => onUpdate(moment) && moment.changed.includes('status'),
    ),
  ]),
  ...recordTypes('deployments', [
    recordRule(
      'deployment.started',
      'A deployment started.',
      onFieldValue('status', 'in_progress'),
    ),
    recordRule(
      'deployment.succeeded',
      'A deployment succeeded.',
      onFieldValue('status', 'succeeded'),
    ),
    recordRule('deployment.failed', 'A deployment failed.', onFieldValue('status', 'failed')),
    recordRule(
      'deployment.rolled_back',
      'A deployment was rolled back.',
      onFieldValue('status', 'rolled_back'),
    ),
  ]),
  ...recordTypes('domains', [
    withPrevious(
      recordRule(
        'domain.verified',
        'A domain is verified.',
        onFieldChange('status', ['pending_verification'], ['active', 'expiring']),
      ),
    ),
    recordRule('domain.expiring', 'A domain expires soon.', onFieldValue('status', 'expiring')),
    recordRule('domain.expired', 'A domain has expired.', onFieldValue('status', 'expired')),
  ]),
  ...recordTypes('monitoring', [
    recordRule(
      'monitoring.down',
      'A monitor finds its target down.',
      onFieldValue('status', 'down'),
    ),
    withPrevious(
      recordRule(
        'monitoring.recovered',
        'A target that was down responds again.',
        onFieldChange('status', ['down'], ['up', 'degraded']),
      ),
    ),
  ]),
]
