/** The changes on the demo's board, and how far each of them gets. */
import type { ChangeStatus } from '../../../../../proto/access/changes/change.ts'
import type { DemoPerson } from '../cast.ts'

export interface DemoChange {
  readonly title: string
  /** The state in which the demo leaves it. */
  readonly reach: ChangeStatus
  readonly proposer: DemoPerson
  /** In this order. Not Ada, who carries changes out. */
  readonly approvers: readonly DemoPerson[]
  /** Whose turn it is in that state. */
  readonly waitsFor?: DemoPerson
  /** From now on; absent if nothing is scheduled. */
  readonly window?: { readonly startHours: number; readonly hours: number }
  readonly evidence?: string
  /** The rest of the body of POST /v1/changes. */
  readonly body: object
}

export const demoChanges: readonly DemoChange[] = [
  {
    title: 'Give the Hawthorne shop its own pick-up times',
    ...{ reach: 'draft', proposer: 'ada', approvers: [] },
    body: {
      ...{ kind: 'other', risk: 'low' },
      description:
        'Hawthorne opens an hour later; its customers are offered times when it is shut.',
      impact: 'Customers of one shop see other pick-up times.',
      test_plan: 'An order for Hawthorne offers no time before eight.',
      rollback_plan: 'Give all shops the common times again.',
    },
  },
  {
    title: 'Let customers add a gift message at the checkout',
    ...{ reach: 'proposed', proposer: 'theo', approvers: [], waitsFor: 'grace' },
    body: {
      ...{ kind: 'other', risk: 'medium' },
      description: 'For the holiday boxes: up to 200 characters, printed on a card.',
      impact: 'One more field at the checkout, for boxes only.',
      test_plan: 'A box is ordered with a message, and the message is on the packing list.',
      rollback_plan: 'Hide the field; orders that have a message keep it.',
    },
  },
  {
    title: 'Show allergens on every product page',
    ...{ reach: 'reviewed', proposer: 'ada', approvers: ['grace'], waitsFor: 'mina' },
    body: {
      ...{ kind: 'other', risk: 'medium', client_visible: true },
      description: 'The fourteen allergens as icons with text, from the list of the bakery.',
      impact: 'Every product page gets a line below the price.',
      test_plan: 'Ten products are compared with the list that the bakery signed.',
      rollback_plan: 'Hide the line, and link the list as before.',
    },
  },
  {
    title: 'Deploy shop 2.9.0 to staging',
    ...{ reach: 'approved', proposer: 'theo', approvers: [] },
    body: {
      ...{ kind: 'deployment', type: 'standard', template_id: 'deploy-to-staging' },
      description: 'Holiday boxes, to be tried by the shops before they go live.',
      patch: {
        environment: 'staging',
        release: '2.9.0',
        url: 'https://staging.goldencrust.example',
      },
    },
  },
  {
    title: 'Take wholesale orders in the online shop',
    ...{ reach: 'scheduled', proposer: 'theo', approvers: ['grace', 'mina'] },
    window: { startHours: 24, hours: 3 },
    body: {
      ...{ kind: 'deployment', risk: 'medium', client_visible: true },
      description: 'Release 2.9.0 opens the order form for the customers with a contract.',
      patch: { environment: 'production', release: '2.9.0' },
      impact: 'The shop cannot be reached for about two minutes.',
      test_plan: 'A wholesale order and an ordinary one are placed and cancelled.',
      rollback_plan: 'Deploy release 2.8.1 again.',
    },
  },
  {
    title: 'Serve the pictures of products from the content network',
    ...{ reach: 'in_progress', proposer: 'mina', approvers: ['grace'] },
    window: { startHours: 0, hours: 72 },
    body: {
      ...{ kind: 'integration', risk: 'low' },
      description: 'Product pages weigh 4 MB, most of it pictures; phones wait for them.',
      impact: 'Pages load faster; nothing looks different.',
      test_plan: 'The largest picture of the start page arrives within a second on a phone.',
      rollback_plan: 'Point the addresses of pictures to the shop again.',
    },
  },
  {
    title: 'Watch the order form for wholesale customers',
    ...{ reach: 'done', proposer: 'theo', approvers: ['grace'] },
    window: { startHours: 0, hours: 2 },
    evidence: 'The monitor answers, and a stopped test server raised an incident.',
    body: {
      ...{ kind: 'monitoring', risk: 'low' },
      patch: {
        name: 'Wholesale order form',
        kind: 'http',
        target: 'https://shop.goldencrust.example/wholesale/health',
        interval_s: 300,
      },
      impact: 'Nobody notices; the on-call list gets one more monitor.',
      test_plan: 'Stop the test server, and see an incident.',
      rollback_plan: 'Remove the monitor.',
    },
  },
  {
    title: 'Correct the pick-up times after the clocks changed',
    ...{ reach: 'done', proposer: 'theo', approvers: ['grace', 'mina'] },
    window: { startHours: 0, hours: 2 },
    evidence: 'Orders for all six shops show the times on their doors.',
    body: {
      ...{ kind: 'other', risk: 'medium', client_visible: true },
      description: 'Release 2.8.0 was rolled back because its times were an hour off.',
      impact: 'Customers see the right times again.',
      test_plan: 'An order for each of the six shops shows the times on its door.',
      rollback_plan: 'Set the times by hand, as before the release.',
    },
  },
]
