/** The part of a change's form about risk: how urgent it is, who notices it, test, and way back. */
import { changeRisks } from '../../../../../proto/access/changes/change-terms.ts'
import { ChoiceField, LongField } from '../../../../html/fields.tsx'
import { toWords } from '../../../words/words.ts'
import { fieldText, type FormProps } from './form-props.ts'

const urgencies = [
  { value: 'normal', label: 'Normal', hint: 'Reviewed first, then scheduled and done.' },
  {
    value: 'emergency',
    label: 'Emergency',
    hint: 'One change manager approves it now; somebody else looks at it within a day.',
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
        <p>Standard, with low risk: {template.approval}</p>
      ) : (
        <UrgencyAndRisk {...props} />
      )}
      <ChoiceField
        {...{ name: 'client_visible', label: 'Does the client notice it?', kind: 'checkbox' }}
        choices={[
          {
            value: 'true',
            label: 'Yes',
            ...(!template && { hint: 'Then an owner of the client has to approve it too.' }),
          },
        ]}
        chosen={[fieldText(props, 'client_visible', terms?.clientVisible ? 'true' : '')]}
      />
      <LongField
        {...plan('impact', terms?.impact)}
        label="Impact"
        hint={template ? `Left empty: ${template.about}` : 'Who notices it, and what. A sentence.'}
      />
      <LongField
        {...plan('test_plan', terms?.testPlan)}
        label="Test plan"
        hint={
          template ? `Left empty: ${template.test_plan}` : 'How you see that it worked. A sentence.'
        }
      />
      <LongField
        {...plan('rollback_plan', terms?.rollbackPlan)}
        label="Way back"
        hint={
          template
            ? `Left empty: ${template.rollback_plan}`
            : 'How it is taken back if it fails. A sentence.'
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
          label: 'How urgent is it?',
          kind: 'radio',
          choices: urgencies,
          problem,
        }}
        chosen={[fieldText(props, 'type', terms?.type ?? 'normal')]}
      />
      <ChoiceField
        {...{ name: 'risk', label: 'Risk', kind: 'radio', isInline: true, problem }}
        hint="High risk takes two change managers."
        choices={changeRisks.map((risk) => ({ value: risk, label: toWords(risk) }))}
        chosen={[fieldText(props, 'risk', terms?.risk ?? 'medium')]}
      />
    </>
  )
}
