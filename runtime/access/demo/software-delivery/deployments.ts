import type { SampleMaker } from '../world.ts'

export const demoDeployments: SampleMaker = (world) => [
  {
    daysAgo: 8,
    fields: {
      project_id: world.id('projects', 0),
      environment: 'production',
      release: '2.7.0',
      commit_sha: '9f4c1d7e2b',
      status: 'succeeded',
      notes: 'Subscriptions can be paused for up to eight weeks.',
      started_at: world.at(-8, '05:10'),
      finished_at: world.at(-8, '05:14'),
      url: 'https://shop.goldencrust.example',
    },
  },
  {
    daysAgo: 3,
    fields: {
      project_id: world.id('projects', 0),
      environment: 'production',
      release: '2.8.0',
      commit_sha: '41be07aa95',
      status: 'rolled_back',
      notes: 'Pick-up times of the Hawthorne shop were an hour off.',
      started_at: world.at(-3, '05:05'),
      finished_at: world.at(-3, '05:31'),
    },
  },
  {
    daysAgo: 3,
    fields: {
      project_id: world.id('projects', 0),
      environment: 'production',
      release: '2.7.0',
      commit_sha: '9f4c1d7e2b',
      status: 'succeeded',
      started_at: world.at(-3, '05:31'),
      finished_at: world.at(-3, '05:33'),
      url: 'https://shop.goldencrust.example',
      rollback_of: world.id('deployments', 1),
    },
  },
  {
    daysAgo: 1,
    fields: {
      project_id: world.id('projects', 0),
      environment: 'staging',
      release: '2.8.1',
      commit_sha: 'c07d3f1188',
      status: 'succeeded',
      started_at: world.at(-1, '14:02'),
      finished_at: world.at(-1, '14:05'),
    },
  },
]
