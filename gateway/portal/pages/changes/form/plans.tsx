/** The part of a change's form about risk: how urgent it is, who notices it, test, and way back. */
import { changeRisks } from '../../../../../proto/access/changes/change-terms.ts'
import { ChoiceField, LongField } from '../../../../html/fields.tsx'
import { toWords } from '../../../words/words.ts'
import { fieldText, type FormProps } from './form-props.ts'

const urgencies = [
  { value: 'normal', label: 'Normal', hint: 'Reviewed first, then scheduled and implemented.' },
  {
    value: 'emergency',
    label: 'Emergency',
    hint: 'One change manager approves it now; someone else reviews it within 24 hours.',
  },
]

export const Plans = (props: FormProps) => {
  const { subject, draft, problem } = props
  const { template } = subject
  const terms = draft?.terms
  const plan = (name: 'impact' | 'test_plan' | 'rollback_plan', drafted: string | undefined) => ({
    ...{ name, problem, rows: 2 },
    value: fieldText(props, name, drafted),
    ...(template && { isOptional: true }),
  })
  return (
    <>
      {template ? (
        <p>Standard change with low risk: {template.approval}</p>
      ) : (
        <UrgencyAndRisk {...props} />
      )}
      <ChoiceField
        {...{ name: 'client_visible', label: 'Visible to the client', kind: 'checkbox' }}
        choices={[
          {
            value: 'true',
            label: 'Yes',
            ...(!template && { hint: 'An owner of the client must approve it too.' }),
          },
        ]}
        chosen={[fieldText(props, 'client_visible', terms?.clientVisible ? 'true' : '')]}
      />
      <LongField
        {...plan('impact', terms?.impact)}
        label="Impact"
        hint={template ? `Default: ${template.about}` : 'Who is affected, and how. One sentence.'}
      />
      <LongField
        {...plan('test_plan', terms?.testPlan)}
        label="Test plan"
        hint={
          template
            ? `Default: ${template.test_plan}`
            : 'How you verify that it worked. One sentence.'
        }
      />
      <LongField
        {...plan('rollback_plan', terms?.rollbackPlan)}
        label="Rollback plan"
        hint={
          template
            ? `Default: ${template.rollback_plan}`
            : 'How to undo it if it fails. One sentence.'
        }
      />
    </>
  )
}

const UrgencyAndRisk = (props: FormProps) => {
  const { draft, problem } = props
  const terms = draft?.terms
  return (
    <>
      <ChoiceField
        {...{
          name: 'type',
          label: 'Urgency',
          kind: 'radio',
          choices: urgencies,
          problem,
        }}
        chosen={[fieldText(props, 'type', terms?.type ?? 'normal')]}
      />
      <ChoiceField
        {...{ name: 'risk', label: 'Risk', kind: 'radio', isInline: true, problem }}
        hint="High risk requires approval by two change managers."
        choices={changeRisks.map((risk) => ({ value: risk, label: toWords(risk) }))}
        chosen={[fieldText(props, 'risk', terms?.risk ?? 'medium')]}
      />
    </>
  )
}
