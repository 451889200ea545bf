const steps = ['Need', 'Areas', 'Duration', 'Check your answers'] as const

/** Shows the current one of the four steps, counted from 0. */
export const StepList = ({ at }: { at: number }) => (
  <ol class="steps">
    {steps.map((label, i) => (
      <li aria-current={i === at ? 'step' : undefined}>{label}</li>
    ))}
  </ol>
)
