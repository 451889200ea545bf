import type { SampleMaker } from '../world.ts'

export const demoContentGaps: SampleMaker = (world) => [
  {
    daysAgo: 14,
    fields: {
      topic: 'Gluten-free birthday cakes',
      keyword: 'gluten free birthday cake portland',
      intent: 'transactional',
      search_volume: 880,
      difficulty: 31,
      competitors: [{ domain: 'sweetacorn.example', position: 2 }],
      score: 82,
      action: 'create',
      priority: 'high',
      status: 'planned',
      scan_id: world.id('market-scans', 0),
    },
  },
  {
    daysAgo: 14,
    fields: {
      topic: 'Holiday bread boxes',
      keyword: 'bread gift box delivery',
      intent: 'commercial',
      search_volume: 1_900,
      difficulty: 44,
      competitors: [
        { domain: 'loafandlantern.example', position: 1 },
        { domain: 'sweetacorn.example', position: 6 },
      ],
      score: 77,
      action: 'create',
      priority: 'high',
      status: 'in_progress',
      task_id: world.id('tasks', 1),
      scan_id: world.id('market-scans', 0),
    },
  },
  {
    daysAgo: 30,
    fields: {
      topic: 'How sourdough keeps fresh',
      keyword: 'how to store sourdough bread',
      intent: 'informational',
      search_volume: 6_600,
      difficulty: 38,
      current: { url: 'https://goldencrust.example/journal/keeping-bread', position: 14 },
      score: 64,
      action: 'refresh',
      priority: 'medium',
      status: 'identified',
    },
  },
]
