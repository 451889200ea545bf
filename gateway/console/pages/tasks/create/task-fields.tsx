/** The fields of the form of a new task. */
import { taskLimits } from '../../../../../proto/task/task-limits.ts'
import { ChoiceField, LongField, SelectField, TextField } from '../../../../html/fields.tsx'
import { Collapsible } from '../../../../html/form.tsx'
import type { SubmittedForm } from '../../../../html/forms/form.ts'
import { isAbout, type FormProblem } from '../../../../html/forms/problem.ts'
import { NoticeBox } from '../../../../html/parts.tsx'
import { howToConfigure } from '../../../../tasks/orders.ts'
import type { ConfiguredProviders } from '../../../../tasks/providers.ts'
import type { ConsoleVisit } from '../../../visit.ts'

const labels = {
  prompt: 'Goal',
  url: 'Start page',
  provider: 'Provider',
  model: 'Model',
  output_schema: 'Output schema',
  allowed_domains: 'Allowed domains',
  session: 'Session',
  max_steps: 'Steps',
  timeout_minutes: 'Time',
  max_tokens: 'Tokens',
  max_cost_usd: 'Cost',
} as const

type FieldName = keyof typeof labels

/** The field names in REST, where they differ. */
const restNames: Partial<Readonly<Record<FieldName, string>>> = {
  session: 'sessionId',
  timeout_minutes: 'timeout_seconds',
}

const budgets = ['max_steps', 'timeout_minutes', 'max_tokens', 'max_cost_usd'] as const

export const namedTaskFields = (Object.keys(labels) as FieldName[]).map((name) => ({
  ...{ name, label: labels[name], about: restNames[name] ?? name },
}))

interface TaskFormProps {
  readonly visit: ConsoleVisit
  readonly form: SubmittedForm
  readonly problem: FormProblem | undefined
  readonly providers: ConfiguredProviders
}

const field = (name: FieldName, { form, problem }: TaskFormProps) => ({
  ...{ name, label: labels[name], about: restNames[name] ?? name, problem, isOptional: true },
  value: form.given(name),
})

export const NewTaskFields = (of: TaskFormProps) => (
  <>
    <LongField
      {...field('prompt', of)}
      isOptional={false}
      rows={5}
      hint="In plain words, with everything a person would need to know."
    />
    <TextField {...field('url', of)} type="url" hint="Opened before the model starts." />
    <ProviderFields {...of} />
    <LongField
      {...field('output_schema', of)}
      rows={4}
      hint={
        <>
          A JSON Schema that the result must match. For example{' '}
          <code>{'{"type":"object","properties":{"price":{"type":"number"}}}'}</code>
        </>
      }
    />
    <LongField
      {...field('allowed_domains', of)}
      rows={2}
      hint="One per line, for example *.example.com. Requests to other domains are blocked."
    />
    <Permissions {...of} />
    <Collapsible label="Budgets" isOpen={isOpen(of, budgets)}>
      <BudgetFields {...of} />
    </Collapsible>
    <Collapsible label="Session" isOpen={isOpen(of, ['session'])}>
      <SessionFields {...of} />
    </Collapsible>
  </>
)

const isOpen = ({ form, problem }: TaskFormProps, names: readonly FieldName[]) =>
  names.some((name) => form.given(name) !== undefined || isAbout(problem, restNames[name] ?? name))

const ProviderFields = (of: TaskFormProps) => {
  const { names, usual } = of.providers
  const chosen = of.form.given('provider') ?? usual ?? ''
  const labelOf = (name: string) => (name === usual ? `${name} (default)` : name)
  return names.length === 0 ? (
    <NoticeBox tone="wait" title="No AI provider is configured">
      <p>{howToConfigure('<provider>')}</p>
    </NoticeBox>
  ) : (
    <div class="pair">
      <SelectField
        {...field('provider', of)}
        value={chosen}
        choices={names.map((name) => ({ value: name, label: labelOf(name) }))}
      />
      <TextField {...field('model', of)} />
    </div>
  )
}

const BudgetFields = (of: TaskFormProps) => (
  <>
    <div class="pair">
      <TextField
        {...field('max_steps', of)}
        value={of.form.given('max_steps') ?? String(taskLimits.taskSteps)}
        type="number"
        min="1"
        max={String(taskLimits.taskStepsMax)}
        hint="At most."
      />
      <TextField
        {...field('timeout_minutes', of)}
        value={of.form.given('timeout_minutes') ?? String(taskLimits.taskSeconds / 60)}
        type="number"
        min="1"
        max={String(taskLimits.taskSecondsMax / 60)}
        hint="In minutes."
      />
    </div>
    <div class="pair">
      <TextField
        {...field('max_tokens', of)}
        type="number"
        min="1000"
        hint="Input and output together."
      />
      <TextField {...field('max_cost_usd', of)} hint="In US dollars, for example 0.50." />
    </div>
  </>
)

const SessionFields = (of: TaskFormProps) => (
  <>
    <TextField
      {...field('session', of)}
      hint="The ID of a session to work in. If empty, a session is created for the task and ends with it."
    />
    <ChoiceField
      name="keep_session"
      label="Afterwards"
      kind="checkbox"
      chosen={of.form.has('keep_session') ? ['yes'] : []}
      choices={[{ value: 'yes', label: 'Keep the session that is created for the task running' }]}
    />
  </>
)

const Permissions = ({ visit, form }: TaskFormProps) => (
  <>
    <ChoiceField
      name="human_intervention"
      label="Questions"
      kind="checkbox"
      chosen={form.has('human_intervention') ? ['yes'] : []}
      choices={[
        {
          value: 'yes',
          label: 'The task can ask a person',
          hint: 'Payments, deletions, uploads, downloads and leaving the site then require approval.',
        },
      ]}
    />
    {visit.facts.principal.allowPrivate ? (
      <ChoiceField
        name="allow_private_network"
        label="Private networks"
        kind="checkbox"
        chosen={form.has('allow_private_network') ? ['yes'] : []}
        choices={[{ value: 'yes', label: 'Can reach private networks and this machine' }]}
      />
    ) : (
      ''
    )}
  </>
)
