import type { SampleMaker } from '../world.ts'

export const demoMonitoring: SampleMaker = (world) => [
  {
    daysAgo: 50,
    fields: {
      name: 'Online shop',
      kind: 'http',
      target: 'https://shop.goldencrust.example/health',
      interval_s: 60,
      status: 'up',
      last_check_at: world.at(0, '00:00'),
      latency: { p50: 128, p95: 342 },
      uptime: { d1: 100, d7: 99.94, d30: 99.97 },
      incidents: [
        {
          started_at: world.at(-3, '05:09'),
          ended_at: world.at(-3, '05:33'),
          cause: 'Release 2.8.0, rolled back.',
        },
      ],
    },
  },
  {
    daysAgo: 50,
    fields: {
      name: 'Checkout',
      kind: 'http',
      target: 'https://shop.goldencrust.example/checkout/health',
      interval_s: 60,
      status: 'degraded',
      last_check_at: world.at(0, '00:00'),
      latency: { p50: 410, p95: 1_870 },
      uptime: { d1: 99.8, d7: 99.9, d30: 99.95 },
    },
  },
  {
    daysAgo: 50,
    fields: {
      name: 'Certificate of the shop',
      kind: 'tls',
      target: 'shop.goldencrust.example:443',
      interval_s: 86_400,
      status: 'up',
      last_check_at: world.at(0, '00:00'),
      uptime: { d30: 100 },
    },
  },
]
