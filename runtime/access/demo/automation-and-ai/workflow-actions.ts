import type { SampleMaker } from '../world.ts'

export const demoWorkflowActions: SampleMaker = (world) => [
  {
    daysAgo: 45,
    fields: {
      key: 'unfinished-orders',
      name: 'Remind of unfinished orders',
      description: 'One e-mail a day later, to those who agreed to get mail.',
      trigger: 'schedule',
      inputs_schema: { type: 'object', properties: { hours: { type: 'integer', minimum: 12 } } },
      pre_approved: true,
      enabled: true,
      runs: [
        {
          id: 'run-118',
          status: 'completed',
          output: { mails: 6 },
          started_at: world.at(-1, '18:00'),
          finished_at: world.at(-1, '18:01'),
        },
      ],
    },
  },
  {
    daysAgo: 45,
    fields: {
      key: 'pause-delivery',
      name: 'Pause deliveries of a shop',
      description: 'When an oven is down: no orders are taken for that shop.',
      trigger: 'manual',
      inputs_schema: {
        type: 'object',
        required: ['shop'],
        properties: { shop: { type: 'string' } },
      },
      pre_approved: true,
      change_template_id: 'workflow-run',
      enabled: true,
    },
  },
]
