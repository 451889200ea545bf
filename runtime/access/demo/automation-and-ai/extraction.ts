import type { SampleMaker } from '../world.ts'

export const demoExtraction: SampleMaker = (world) => [
  {
    daysAgo: 15,
    fields: {
      source_urls: ['https://loafandlantern.example/menu'],
      schema: {
        type: 'object',
        required: ['bread', 'price'],
        properties: { bread: { type: 'string' }, price: { type: 'number' } },
      },
      instructions: 'Whole loaves only.',
      status: 'completed',
      progress: 1,
      started_at: world.at(-15, '08:00'),
      finished_at: world.at(-15, '08:01'),
      items: [
        { bread: 'Country sourdough', price: 9.5 },
        { bread: 'Seeded rye', price: 10 },
        { bread: 'Spelt', price: 10.5 },
      ],
      evidence: [
        {
          url: 'https://loafandlantern.example/menu',
          retrieved_at: world.at(-15, '08:00'),
          quote: 'Country sourdough 9.50',
        },
      ],
    },
  },
]
