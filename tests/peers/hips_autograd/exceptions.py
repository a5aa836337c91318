"""Tests of autograd that aren't for s2sad, each with why.

They are run too: one that passes is named in the report.
"""

_INTERNALS = "the vector spaces, nodes and graphs of autograd"
_OWN_FUNCTIONS = "functions of autograd's own under NumPy's or SciPy's names"
_CUSTOM = "what autograd says where a rule is wrong or missing, and its old methods"
_NO_DERIVATIVE = "results without a derivative, which s2sad refuses"
_COMPLEX = "functions of complex numbers that have no derivative, or none known"
_MORE = "s2sad differentiates what autograd refuses"
_NAMES = "names and texts of autograd's derivatives"
_KINK = "at a kink no difference decides, and check_grads says so"
_SINGULAR = "densities of normal distributions whose covariance is singular"
_TRAJECTORY = "differences show the errors of a solver with coarse tolerances"
_HELD = "a Jacobian of a Jacobian that functions hold, inside of a function"

_LISTED = {
    _INTERNALS: """
        test_vspaces::test_array_vspace test_vspaces::test_array_vspace_0_dim
        test_vspaces::test_array_vspace_complex test_vspaces::test_list_vspace
        test_vspaces::test_tuple_vspace test_vspaces::test_dict_vspace
        test_vspaces::test_mixed_vspace test_misc::test_const_graph
        test_misc::test_const_graph_args
    """,
    _OWN_FUNCTIONS: """
        test_scipy::test_convolve_generalization test_scipy::test_convolve_ignore
        test_scipy::test_convolve_ignore_dot test_linalg::test_pinv
        test_wrappers::test_custom_where
        test_wrappers::test_custom_where_dtypes[int-True-1-2]
        test_wrappers::test_custom_where_dtypes[float-True-3.0-4.0]
        test_wrappers::test_custom_where_dtypes[float-False-1-2.0]
        test_wrappers::test_custom_where_dtypes[list-True-x3-y3]
    """,
    _CUSTOM: """
        test_logic::test_no_vjp_def test_logic::test_no_jvp_def
        test_tests::test_check_vjp_1st_order_fail
        test_tests::test_check_vjp_2nd_order_fail
        test_wrappers::test_deprecated_defgrad_wrapper
        test_wrappers::test_deprecated_defvjp_wrapper
        test_wrappers::test_deprecated_defvjp_is_zero_wrapper
    """,
    _NO_DERIVATIVE: """
        test_core::test_eq test_core::test_neq test_core::test_leq test_core::test_geq
        test_core::test_lt test_core::test_gt test_builtins::test_isinstance
    """,
    _COMPLEX: """
        test_systematic::test_max test_systematic::test_min
        test_systematic::test_real_ic test_scipy::test_sqrtm
    """,
    _MORE: """
        test_graphs::test_assignment_raises_error
        test_fft::test_rfftn_odd_not_implemented
    """,
    _NAMES: "test_wrappers::test_wrapped_name_and_docs",
    _KINK: "test_scalar_ops::test_abs test_scalar_ops::test_absolute",
    _SINGULAR: "test_scipy::test_mvn_sing_cov",
    _TRAJECTORY: "test_scipy::test_odeint",
    _HELD: "test_jacobian::test_jacobian_higher_order",
}
EXCEPTIONS = {name: why for why, names in _LISTED.items() for name in names.split()}
