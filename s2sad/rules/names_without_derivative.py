"""Public names of NumPy and SciPy that have no derivative to give: they make or take no
real numbers that vary, or what they do with them isn't a function's.

``s2sad rules`` and ``docs/coverage.md`` count every other name. A name that has a rule,
or a text that stands in its place, isn't looked up here; names may be patterns.
"""

DTYPES = "dtypes and classes"
FILES = "files and text"
SETTINGS = "settings and information"
PLACES = "shapes, places and integers"
SIZES = "arrays made from sizes"
RANKS = "ranks, counts and resampling"
OBJECTS = "settings of algorithms, warnings"

WITHOUT_DERIVATIVE: dict[str, dict[str, str]] = {
    "numpy": {
        DTYPES: """
            asmatrix bmat broadcast busdaycalendar bytes_ can_cast character common_type
            complexfloating datetime64 dtype finfo flatiter flexible floating frompyfunc
            generic iinfo inexact integer isdtype issubdtype matrix memmap
            min_scalar_type mintypecode ndarray ndenumerate ndindex nditer number
            object_ promote_types recarray record result_type signedinteger str_
            timedelta64 typename ulonglong unsignedinteger void
            __array_namespace_info__""",
        FILES: """
            array2string array_repr array_str base_repr binary_repr datetime_as_string
            format_float_* from_dlpack frombuffer fromfile fromregex fromstring
            genfromtxt load loadtxt save save*""",
        SETTINGS: """
            errstate get* info iterable printoptions set_* setbufsize seterr* show_*
            ufunc""",
        PLACES: """
            bitwise_count broadcast_shapes busday_* datetime_data
            einsum_path is_busday isfortran isnat mask_indices may_share_memory ndim
            nested_iters packbits ravel_multi_index shape shares_memory unpackbits""",
    },
    "numpy.linalg": {SETTINGS: "LinAlgError"},
    "numpy.polynomial": {SETTINGS: "set_default_printstyle"},
    "numpy.ndarray": {
        DTYPES: "byteswap getfield setfield view",
        FILES: "dump dumps tobytes tofile",
        SETTINGS: "setflags to_device",
    },
    "scipy.special": {
        SETTINGS: "errstate geterr seterr SpecialFunction*",
        PLACES: "bernoulli euler factorialk stirling2",
        SIZES: "*_zeros",
    },
    "scipy.stats": {
        RANKS: """
            anderson_ksamp ansari barnard_exact binomtest bootstrap boschloo_exact
            brunnermunzel bws_test chatterjeexi cumfreq ecdf false_discovery_control
            fisher_exact fligner friedmanchisquare goodness_of_fit kendalltau kruskal
            ks_1samp ks_2samp kstest logrank mannwhitneyu median_test mode
            monte_carlo_test mood multiscale_graphcorr ortho_group page_trend_test
            percentileofscore permutation_test poisson_means_test quantile_test
            random_correlation random_table rankdata ranksums relfreq siegelslopes
            sobol_indices somersd spearmanr spearmanrho special_ortho_group tiecorrect
            uniform_direction unitary_group weightedtau wilcoxon""",
        OBJECTS: """
            *Method *Warning *Error Covariance CensoredData fit make_distribution
            rv_continuous rv_discrete rv_histogram""",
        DTYPES: "Binomial Logistic Mixture Normal Uniform abs exp log truncate",
    },
    "scipy.linalg": {
        SETTINGS: "LinAlg* get_* find_best_blas_type bandwidth is*",
        SIZES: """
            clarkson_woodruff_transform dft hadamard helmert hilbert invhilbert
            invpascal pascal""",
    },
    "scipy.signal": {
        SETTINGS: "BadCoefficients check_* choose_conv_method",
        SIZES: """
            besselap buttap correlation_lags czt_points get_window kaiserord max_len_seq
            unit_impulse""",
        PLACES: "argrel* find_peaks*",
    },
    "scipy.fft": {
        SETTINGS: "*_backend get_workers set_workers",
        SIZES: "fhtoffset",
    },
    "scipy.integrate": {
        OBJECTS: """
            BDF DOP853 DenseOutput *Warning LSODA OdeSolution OdeSolver RK23 RK45
            Radau""",
        SIZES: "newton_cotes lebedev_rule",
    },
    "scipy.interpolate": {OBJECTS: "generate_knots interp2d NearestNDInterpolator"},
    "scipy.spatial.distance": {
        PLACES: """
            dice hamming is_valid_* jaccard num_obs_* rogerstanimoto russellrao
            sokalsneath yule""",
    },
    "scipy.optimize": {
        OBJECTS: """
            BFGS Bounds BroydenFirst HessianUpdateStrategy InverseJacobian
            KrylovJacobian LbfgsInvHessProduct LinearConstraint NoConvergence
            NonlinearConstraint OptimizeResult *Warning RootResults SR1 check_grad
            show_options linprog_verbose_callback""",
        PLACES: "linear_sum_assignment milp quadratic_assignment",
    },
}
